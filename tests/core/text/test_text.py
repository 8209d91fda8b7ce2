"""What a reader sees of markdown: the number of words, and the first paragraph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text.html import first_paragraph, word_count
from tests.core.text.bombs import BOMBS, seconds_of_processor, tried
from tests.core.text.xss_corpus import VECTORS
from tests.live import quickest


@pytest.mark.parametrize(
    ("markdown", "count"),
    [
        ("", 0),
        ("Hello, world", 2),
        ("# Hello\n\n*wor*ld **a**~~b~~", 3),
        ("[the text](https://example.com/some/where 'a title')", 2),
        ("[the text][a]\n\n[a]: https://example.com 'a title'", 2),
        ("![a description](b.png) c", 1),
        ("<https://example.com>", 2),  # shown as it stands: `https`, `example.com`
        ("https://a.example/c*d*e", 5),  # no emphasis in an address
        ("a `code here` b", 4),
        ("```python title\nprint(x)\n```", 2),
        ("    four spaces", 2),
        ("- one\n- two\n  1. three", 3),
        ("- [x] done\n- [ ] not yet", 3),
        ("> quoted words", 2),
        ("|a|b|\n|-|-|\n|c|d|", 4),
        ("---\n***", 0),
        ("one\\\ntwo\nthree  \nfour", 4),
        ("H<sub>2</sub>O wor<wbr>ld", 2),
        ("one<br>two", 2),
        ("<div class='a b'>three small words</div>", 3),
        ("<td>one</td><td>two</td>", 2),
        ("<!-- not seen --> seen", 1),
        ("<!-- not <b>seen</b> --> seen", 1),
        ("wor<!-- not seen -->ld", 1),
        ("one<img src='a'>word", 1),
        ("<p class='a>b'>one</p><p>two", 2),
        ("<script>not(seen)</script><style>nor this</style> seen", 1),
        ("<img alt='<script>'> seen", 1),
        ("AT&amp;T &copy; &eacute;t&eacute; &#65;", 4),
        ("&amp;copy;", 1),
        ("<p>&amp;copy; &eacute;t&eacute;</p>", 2),
        ("\\*a\\* 1 < 2 > 0", 4),
        ("你好,世界", 4),
        ("สวัสดีชาวโลก", 3),
        ("مرحبا بالعالم", 2),
        ("🎉 party 🎉", 1),
    ],
)
def test_words_of_the_text_count_and_markup_does_not(markdown: str, count: int) -> None:
    assert word_count(markdown) == count


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("", None),
        ("The first.\n\nThe second.", "The first."),
        ("# A heading\n\nThe text\nin two   lines  \nor three.", "The text in two lines or three."),
        ("*a* **b** `c` ~~d~~ [e](f) &copy; &lt;g&gt; \\*", "a b c d e © <g> *"),
        ("<kbd>a</kbd> b<!-- c -->", "a b"),
        ("AT&amp;amp;T", "AT&amp;T"),
        # what is no paragraph
        ("Title\n===\n\n---\n\ntext", "text"),
        ("![a](b.png)\n\n[![a](b.png)](c)\n\ntext", "text"),
        ("![a](b.png) with text", "with text"),
        ("> a quote\n\ntext", "text"),
        ("- a list\n\n  of paragraphs\n\ntext", "text"),
        ("|a|\n|-|\n|b|\n\ntext", "text"),
        ("```\ncode\n```\n\n    code\n\ntext", "text"),
        ("<p>raw html</p>\n\n<!-- a comment -->\n\ntext", "text"),
        ("[a]: /b\n\n<br>\n\ntext", "text"),
        ("# only a heading\n\n- and a list", None),
        # what has no words
        ("![a](b.png)\\\nA caption\n\ntext", "text"),
        ("[![](b.png)](c)\\\nA caption\n\ntext", "text"),
        ("{{< gallery dir='a b' >}}\n{% include toc.html %}\n\ntext", "text"),
        ("<https://a.example/watch?v=1>\n\n* * *\n\n🎉\n\ntext", "text"),
        ("![a](b.png)\n*A caption*\n\ntext", "text"),
        ("![a](b.png)\nand text\n\nmore", "and text"),
        ('{{< tab "A & _b_" >}}one{{< /tab >}} {{% x %}}two {% y %} `{{< z >}}` {{% }}', "one two {{< z >}} {{% }}"),
        ("![a](b.png)\\\nA caption", "A caption"),
        ("🎉\n\n{{ x }}", "🎉"),
        ("Write `{{< x >}}` for that\n\ntext", "Write {{< x >}} for that"),
    ],
)
def test_the_first_paragraph_is_the_first_that_has_text(markdown: str, text: str | None) -> None:
    assert first_paragraph(markdown) == text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("a" * 200, "a" * 200),
        ("word " * 40, "word " * 39 + "word"),
        ("word " * 41, "word " * 39 + "word…"),
        ("ab, " * 60, "ab, " * 49 + "ab,…"),
        ("a" * 201, "a" * 199 + "…"),
        ("漢" * 201, "漢" * 199 + "…"),
        ("สวัสดี" * 40, "สวัสดี" * 33 + "…"),
        ("e\u0301" * 150, "e\u0301" * 99 + "…"),
        ("👩‍👩‍👧‍👦" * 30, "👩‍👩‍👧‍👦" * 28 + "…"),
        ("a" + "\u0301" * 300, "a" + "\u0301" * 198 + "…"),
    ],
)
def test_a_long_paragraph_is_cut_at_a_word_and_never_inside_a_character(markdown: str, text: str) -> None:
    assert first_paragraph(markdown) == text
    assert len(text) <= 200


@given(st.lists(st.sampled_from(VECTORS) | st.text(max_size=60), max_size=8).map("\n\n".join))
def test_whatever_the_markdown_is_there_is_an_answer(markdown: str) -> None:
    text = first_paragraph(markdown)

    assert word_count(markdown) >= 0
    assert text is None or (0 < len(text) <= 200 and text == text.strip())


@pytest.mark.slow
@pytest.mark.parametrize("name", tried(BOMBS, ("bare quotes", "cells", "less-than", "han", "paragraphs of braces")))
def test_two_megabytes_of_anything_are_read_in_seconds(name: str) -> None:
    def read() -> None:
        word_count(BOMBS[name])
        first_paragraph(BOMBS[name])

    assert quickest(read, 12, seconds_of_processor) < 12
