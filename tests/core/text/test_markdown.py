"""Markdown becomes html that is safe on any page, whatever it is made of (decisions, section 7)."""

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.text import html as rendering
from app.core.text.html import MAX_DEPTH, MAX_REFERENCES, MAX_TAGS, TooMuchMarkup, to_html
from app.core.text.markdown import BEFORE_TEXT, parsed_html
from tests.core.text.bombs import BOMBS, WORST, seconds_of_processor, tried
from tests.core.text.safe_html import ATTRIBUTES, ELEMENTS, depth_of, unsafe_parts
from tests.core.text.test_parser import EXAMPLES
from tests.core.text.xss_corpus import VECTORS
from tests.live import quickest

HEADINGS = '<h1 id="zwei-wörter">Zwei Wörter!</h1>\n<h2 id="a-b">a b</h2>\n<h2 id="a-b-1">a b</h2>\n'


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# a\n\nb *c* **d** ~~e~~", '<h1 id="a">a</h1>\n<p>b <em>c</em> <strong>d</strong> <del>e</del></p>\n'),
        ("```python a\nb\n```", '<pre><code class="language-python">b\n</code></pre>\n'),
        ("```\ra\r\rb\r```\rc", "<pre><code>a\n\nb\n</code></pre>\n<p>c</p>\n"),
        ("<div>\ra\r\r# b", '<div>\na\n<h1 id="b">b</h1>\n</div>'),
        ("[a](/b)", '<p><a href="/b" rel="noopener">a</a></p>\n'),
        ("www.example.com", '<p><a href="http://www.example.com" rel="noopener">www.example.com</a></p>\n'),
        ("[a](tel:+4712345)", '<p><a href="tel:+4712345" rel="noopener">a</a></p>\n'),
        ("![a](tel:+4712345)", '<p><img alt="a"></p>\n'),
        ("a@example.com", '<p><a href="mailto:a@example.com" rel="noopener">a@example.com</a></p>\n'),
        ('![a](b.png "c")', '<p><img src="b.png" alt="a" title="c"></p>\n'),
        ("![a](https://example.com/b:c)", '<p><img src="https://example.com/b:c" alt="a"></p>\n'),
        (
            "- [x] a\n- [ ] b",
            '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" '
            'class="task-list-item-checkbox" checked="" disabled=""> a</li>\n<li class="task-list-item"><input '
            'type="checkbox" class="task-list-item-checkbox" disabled=""> b</li>\n</ul>\n',
        ),
        (
            "|a|b|\n|-:|-|\n|c|d|",
            '<table>\n<thead>\n<tr>\n<th align="right">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n'
            '<tr>\n<td align="right">c</td>\n<td>d</td>\n</tr>\n</tbody>\n</table>\n',
        ),
        ("[a](https://b.example/c_d*~e)", '<p><a href="https://b.example/c_d*~e" rel="noopener">a</a></p>\n'),
        ("![a](https://b.example/c_d.png)", '<p><img src="https://b.example/c_d.png" alt="a"></p>\n'),
        (
            "https://b.example/__init__.py",
            '<p><a href="https://b.example/__init__.py" rel="noopener">https://b.example/__init__.py</a></p>\n',
        ),
        (
            "[https://b.example/*a*](/b) *https://b.example/_c*",
            '<p><a href="/b" rel="noopener">https://b.example/<em>a</em></a> '
            '<em><a href="https://b.example/_c" rel="noopener">https://b.example/_c</a></em></p>\n',
        ),
        ("[a]\n\n[a]: https://b.example/c_d", '<p><a href="https://b.example/c_d" rel="noopener">a</a></p>\n'),
        (
            "a[^1]\n\n[^1]: b c",
            '<p>a<sup class="footnote-ref"><a href="#fn-1" id="fnref-1" data-footnote-ref="" rel="noopener">1</a></sup>'
            '</p>\n<section class="footnotes" data-footnotes="">\n<ol>\n<li id="fn-1">\n<p>b c <a href="#fnref-1" '
            'class="footnote-backref" data-footnote-backref="" aria-label="Back to reference 1" rel="noopener">↩</a>'
            "</p>\n</li>\n</ol>\n</section>\n",
        ),
        ("# Zwei Wörter!\n\n## a b\n\n## a b", HEADINGS),
        (
            "> [!TIP]\n> a",
            '<div class="markdown-alert markdown-alert-tip">\n<p class="markdown-alert-title">Tip</p>\n<p>a</p>\n'
            "</div>\n",
        ),
        ('<p id="a" class="b">c</p>', "<p>c</p>\n"),
        ("H<sub>2</sub>O <kbd>Ctrl</kbd>", "<p>H<sub>2</sub>O <kbd>Ctrl</kbd></p>\n"),
        (
            "<details open>\n<summary>a</summary>\n\n*b*\n\n</details>",
            '<details open="">\n<summary>a</summary>\n<p><em>b</em></p>\n</details>\n',
        ),
        ("a <script>b</script> c", "<p>a  c</p>\n"),
        ("&copy; &lt;b&gt; a < b", "<p>© &lt;b&gt; a &lt; b</p>\n"),
        ("", ""),
    ],
)
def test_what_markdown_becomes(markdown: str, expected: str) -> None:
    assert to_html(markdown) == expected


def test_only_what_these_tests_know_is_allowed() -> None:
    assert rendering.ELEMENTS == ELEMENTS
    assert set().union(*rendering.ATTRIBUTES.values()) <= ATTRIBUTES


@pytest.mark.parametrize("inside", ["{}", "a {} b", "<div>\n{}\n</div>", "- {}", "|a|\n|-|\n|{}|"])
def test_no_vector_gets_through(inside: str) -> None:
    made = {vector: unsafe_parts(to_html(inside.replace("{}", vector))) for vector in VECTORS}

    assert {vector: parts for vector, parts in made.items() if parts} == {}


def test_the_examples_of_the_specification_are_safe() -> None:
    assert {e["example"]: parts for e in EXAMPLES if (parts := unsafe_parts(to_html(e["markdown"])))} == {}


def test_there_are_as_many_vectors_as_they_say() -> None:
    assert len(set(VECTORS)) == len(VECTORS) >= 120


_TAGS = st.builds("<{}{}{}>".format, st.sampled_from(["", "/"]), st.sampled_from(sorted(ELEMENTS)), st.just(""))
_FRAGMENTS = (
    st.sampled_from(VECTORS)
    | _TAGS
    | st.sampled_from(
        ["<", ">", '"', "'", "=", "`", "&", ";", "\n", "\n\n", "> ", "- ", "|", "[", "](", ")", "<!--", "-->"]
    )
    | st.text(max_size=5)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_FRAGMENTS, max_size=12).map("".join))
def test_nothing_made_of_pieces_gets_through_either(markdown: str) -> None:
    made = to_html(markdown)

    assert unsafe_parts(made) == []
    assert depth_of(made) <= 2 * MAX_DEPTH, "html that is well nested needs hardly more elements than were written"


MARKS = (
    *(
        "a",
        "b ",
        " ",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "# ",
        "*",
        "**",
        "~~",
        "`",
        "```\n",
        "    ",
        "---\n",
        "|",
        "| - |\n",
    ),
    *(
        "[",
        "](",
        ")",
        "]",
        "![",
        "]: ",
        "[^a]",
        "[^a]: ",
        "[x] ",
        '"t"',
        "<",
        "<b>",
        "</b>",
        "<https://x>",
        "> [!NOTE]\n",
    ),
    *(
        "https://x.y",
        "www.x.y",
        "a@b.c",
        "mailto:a@b.c",
        "ftp://x.y",
        "xmpp:a@b.c",
        "javascript:",
        "foo:",
        "tel:1",
        "data:x,",
    ),
    *("&#106;", "&colon;", ":", "\\", "é", "%3a", "\x01"),
)
"""Pieces that markdown divides at, and addresses."""


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=14).map("".join))
def test_what_the_parser_nested_well_alone_is_not_nested_again(markdown: str) -> None:
    html = parsed_html(markdown).removeprefix(f"{BEFORE_TEXT}\n")

    if rendering._is_well_nested(html, markdown):
        assert rendering._well_nested(html) == html


@pytest.mark.parametrize("opening", ["> ", "- ", "*a _b ", "<div>", "<ul><li>", "<b>", "<table><tr><td>", "<p><b>"])
def test_what_is_nested_too_deep_keeps_its_text(opening: str) -> None:
    made = to_html(opening * 1_000 + "the text")

    assert "the text" in made
    assert depth_of(made) <= 2 * MAX_DEPTH


def rendered_or_refused(markdown: str, limit: float) -> float:
    """Returns how many seconds of processor it takes to render the markdown, or to find that it has too much markup."""

    def render() -> None:
        with suppress(TooMuchMarkup):
            to_html(markdown)

    return quickest(render, limit, seconds_of_processor)


@pytest.mark.slow
@pytest.mark.parametrize("name", tried(BOMBS, WORST))
def test_two_megabytes_of_anything_are_rendered_or_refused_in_seconds(name: str) -> None:
    assert rendered_or_refused(BOMBS[name], 4) < 4, "2 s on a machine that does nothing else"


@pytest.mark.parametrize(
    ("unit", "most"),
    [("<br>", MAX_TAGS), ("&", MAX_REFERENCES), ("\xa0", MAX_REFERENCES), (">" * 100 + "\n\n", MAX_TAGS // 200)],
)
def test_too_much_markup_is_refused(unit: str, most: int) -> None:
    to_html(unit * (most // 2))
    with pytest.raises(TooMuchMarkup):
        to_html(unit * (most + 1))


_MARKUP = r"""
    * ** *** _ __ ~ ~~ ` `` [ ] ]( ![ ][ : < > </ <a <!-- --> <? & &amp; &# " ' ( ) \ | |- - + # = === --- ``` ~~~ a
    b é http:// www. a@b.c @ . / ! { } <b> <i> </b> <p> <div> </div> <table> <tr> <td> </table> <ul> <li> <b
    title=x> ="
"""
_SPACED = ["\n", "\n\n", "  \n", "    ", "\t", " ", "- ", "> ", "1. "]
_SPACED += ["[a]: b\n", "\n> ", "\n- ", "|a|b|\n|-|-|\n", "[x] "]
_UNITS = [*_MARKUP.split(), *_SPACED]


@pytest.mark.slow
def test_what_a_fuzzer_makes_of_the_pieces_of_markdown_is_rendered_or_refused_in_time() -> None:
    """128 KB of each, a sixteenth of the largest: what grew faster than the length would stand out."""
    chance = random.Random(17)  # a seed, so that a failure is seen again
    slowest: dict[str, float] = {}
    for _ in range(30):
        beginning, unit = ("".join(chance.choices(_UNITS, k=chance.randint(*k))) for k in ((0, 3), (1, 6)))
        text = (beginning + unit * (131_072 // len(unit)))[:131_072]
        slowest[f"{beginning!r} {unit!r}"] = rendered_or_refused(text, 0.8)

    assert {made_of: seconds for made_of, seconds in slowest.items() if seconds > 0.8} == {}
