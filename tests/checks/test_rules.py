"""The checks of a document, one by one and in several languages (decisions, section 12)."""

import os
from functools import cache, partial
from typing import Any

import pytest

from app.checks.kept import slugs_of_links
from app.checks.rules import CheckResult, Subject, failed_errors, run_checks, word_targets
from app.features import CHECKS
from app.sources.checks import Evidence
from app.sources.citations import Citations
from tests.core.text.bombs import LENGTH, seconds_of_processor
from tests.live import quickest

BRIEF = {"keyword": "keyword", "word_target": "wordCount", "outline": "outline", "reference_urls": "referenceUrls"}
DOCUMENT = {"title": "title", "slug": "slug", "meta_title": "metaTitle", "meta_description": "metaDescription"}
MANY = "one two three four five six seven eight nine ten " * 2


def subject(
    *, markdown: str = "", words: int = 0, internal_links: Any = (), same_keyword_titles: Any = (), **fields: Any
) -> Subject:
    """Returns a document with these fields of its own or of its brief, and no others."""
    own = {name: fields.get(sent, "") for sent, name in DOCUMENT.items()}
    brief = {name: fields[sent] for sent, name in BRIEF.items() if sent in fields}
    document: Any = {**own, "wordCount": words, "brief": brief}
    evidence = Evidence({}, partial(Citations, markdown))
    return Subject(document, markdown, internal_links, same_keyword_titles, {"evidence": evidence})


def outcomes(check: str, **fields: Any) -> list[CheckResult]:
    """Returns the results of one check of a document with these fields."""
    return run_checks(subject(**fields), {}, [one for one in CHECKS if one.name == check])


def outcome(check: str, **fields: Any) -> str:
    return outcomes(check, **fields)[0]["outcome"]


@pytest.mark.contract("decided-checks.table")
@pytest.mark.parametrize(
    ("keyword", "title", "expected"),
    [
        ("pizza dough", "Quick Pizza Dough", "passed"),
        ("pizza doughs", "The best pizza dough", "passed"),
        ("pizza dough", "Pizzas: doughs", "passed"),
        ("pizza dough", "Dough for pizza", "failed"),
        ("pizza dough", "Pizza and dough", "failed"),
        ("class", "The clas", "failed"),
        ("café crème", "Cafe Creme, s'il vous plaît", "passed"),
        ("l'été", "Vive l’été", "passed"),
        ("Straße", "STRASSE", "passed"),
        ("тесто для пиццы", "Быстрое тесто для пиццы", "passed"),
        ("тесто для пиццы", "Пицца и тесто", "failed"),
        ("酵母", "天然酵母のパン", "passed"),
        ("酵母", "酵の母", "failed"),
        ("パン作り", "はじめてのパン作り", "passed"),
        ("แป้งพิซซ่า", "สูตรแป้งพิซซ่าง่าย", "passed"),
        ("خبز العجين", "طريقة خبز العجين", "passed"),
        ("3.5 inch", "A 3.5 inch tin", "passed"),
        ("", "Anything", "skipped"),
        ("!?", "Anything", "skipped"),
    ],
)
def test_keyword_in_title(keyword: str, title: str, expected: str) -> None:
    assert outcome("keyword_in_title", keyword=keyword, title=title) == expected


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("# Rye bread\n\nText.", "passed"),
        ("Text about **rye** bread.", "passed"),
        ("word " * 98 + "rye bread", "passed"),
        ("word " * 99 + "rye bread", "failed"),
        ("", "failed"),
    ],
)
def test_keyword_in_opening(markdown: str, expected: str) -> None:
    assert outcome("keyword_in_opening", keyword="rye bread", markdown=markdown) == expected


@pytest.mark.parametrize(
    ("keyword", "slug", "expected"),
    [
        ("rye bread", "my-rye-bread-2", "passed"),
        ("rye breads", "rye-bread", "passed"),
        ("rye bread", "bread-rye", "failed"),
        ("Crème brûlée", "easy-creme-brulee", "passed"),
        ("тесто", "testo", "passed"),
        ("тесто для пиццы", "быстрое-тесто-для-пиццы", "passed"),
        ("тесто для пиццы", "пицца-и-тесто", "failed"),
        ("酵母", "天然酵母のパン", "passed"),
        ("rye bread", "", "failed"),
    ],
)
def test_keyword_in_slug(keyword: str, slug: str, expected: str) -> None:
    assert outcome("keyword_in_slug", keyword=keyword, slug=slug) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200", [1200]),
        ("1.200", [1200]),
        ("800-1000", [800, 1000]),
        ("1000 to 800 words", [800, 1000]),
        ("about 500 words", [500]),
        ("two sections, 3 images, 700 words", [700]),
        ("49", []),
        ("50", [50]),
        ("100, 200 or 300", []),
        ("long", []),
        ("", []),
        ("1,234,567", [1234567]),
        ("1 200", [1200]),
        ("1'200", [1200]),
        ("1’200 to 1’500", [1200, 1500]),
        ("1\u00a0200", [1200]),
        ("12\u202f500 words", [12500]),
        ("1 000 1 200", [1000, 1200]),
        ("800 900", [800, 900]),
        ("800\u00a0900", [800, 900]),
        ("1 234 567", [1234567]),
        ("3 1000", [1000]),
    ],
)
def test_the_length_that_a_brief_wants(text: str, expected: list[int]) -> None:
    assert word_targets(text) == expected


@pytest.mark.parametrize(
    ("words", "target", "expected"),
    [
        (85, "100", "passed"),
        (84, "100", "failed"),
        (115, "100", "passed"),
        (116, "100", "failed"),
        (85, "100-200", "passed"),
        (230, "100-200", "passed"),
        (231, "100-200", "failed"),
        (0, "100", "failed"),
        (10, "short", "skipped"),
        (10, "", "skipped"),
    ],
)
def test_length(words: int, target: str, expected: str) -> None:
    assert outcome("length", word_target=target, words=words) == expected


@pytest.mark.parametrize("target", ["20 words", "long", ""])
def test_a_length_that_is_no_target_is_skipped_with_what_would_be_one(target: str) -> None:
    [skipped] = outcomes("length", word_target=target, words=10)

    assert skipped["message"] == "The brief has no `wordCount` of one or two numbers of 50 or more."


def test_a_text_of_one_word_has_one_word() -> None:
    [failure] = outcomes("length", word_target="100", words=1)

    assert failure["message"] == "The text has 1 word; the brief wants 100."


def test_outline_covered_names_each_line_without_a_heading() -> None:
    found = outcomes(
        "outline_covered",
        outline="Warm water and flour\n\nA very hot tin\nÉtés chauds\nOh",
        markdown="# Warm flours\n\n## L'ete\n",
    )
    assert [one["outcome"] for one in found] == ["failed"]
    assert "'A very hot tin'" in found[0]["message"]


def test_internal_links_are_found_by_the_last_segment_of_an_address() -> None:
    links = [{"title": one.title(), "slug": one, "isPublished": True} for one in ("rye", "crème", "oats")]
    markdown = "[a](https://x.example/blog/rye/?a=b#c) <a href='/cr%C3%A8me'>b</a> [c](/oats/more)"
    found = outcomes("internal_links", internal_links=links, markdown=markdown)
    assert [one["message"] for one in found] == ["The text does not link to 'Oats' (slug 'oats')."]


def test_what_the_description_of_an_image_holds_is_no_link_and_no_image() -> None:
    markdown = "![a [b](/rye) <a href='/oats'> ![](/inner)](/outer.png)"
    links = [{"title": one.title(), "slug": one, "isPublished": True} for one in ("rye", "oats")]

    assert [one["outcome"] for one in outcomes("internal_links", internal_links=links, markdown=markdown)] == [
        "failed",
        "failed",
    ]
    assert outcome("image_alt", markdown=markdown) == "passed"
    assert "'ftp://outer'" in outcomes("links", markdown="![a ![b](/inner)](ftp://outer)")[0]["message"]


def test_references_are_found_with_or_without_their_last_slash_and_fragment() -> None:
    urls = ["https://A.example/x/", "http://b.example", "https://c.example/?q=1", "https://d.example/__main__.html"]
    markdown = (
        "[a](https://a.example/x#part) <http://b.example/> https://c.example/?q=2 https://d.example/__main__.html"
    )
    found = outcomes("references", reference_urls=urls, markdown=markdown)
    assert [one["message"] for one in found] == ["The text does not link to the reference https://c.example/?q=1."]


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("# a\n## b\n### c\n## d\n", []),
        ("## a\n### b\n", []),
        ("### a\n", [1]),
        ("# a\n\n### b\n", [3]),
        ("# a\n# b\n# c\n", [2, 3]),
        ("no heading", []),
        ("```\n### code\n```\n", []),
    ],
)
def test_heading_levels(markdown: str, lines: list[int]) -> None:
    found = outcomes("heading_levels", markdown=markdown)
    assert [one["line"] for one in found if one["outcome"] == "failed"] == lines


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("![a](b)", []),
        ("text\n![](b)\nmore ![ ](c)", [2, 3]),
        ("<img src=x>\n\n<img src=y alt=z>", [1]),
        ("`![](b)`", []),
        ("> <p>\n> text\n> <img src=x>\n", [3]),
        ("<p>\r<img src=x>\r<img src=y>\r", [2, 3]),
    ],
)
def test_image_alt(markdown: str, lines: list[int]) -> None:
    found = outcomes("image_alt", markdown=markdown)
    assert [one["line"] for one in found if one["outcome"] == "failed"] == lines


@pytest.mark.parametrize(("size", "expected"), [(0, "failed"), (1, "passed"), (60, "passed"), (61, "failed")])
def test_meta_title(size: int, expected: str) -> None:
    assert outcome("meta_title", meta_title="x" * size) == expected


@pytest.mark.parametrize(
    ("size", "expected"), [(0, "failed"), (49, "failed"), (50, "passed"), (160, "passed"), (161, "failed")]
)
def test_meta_description(size: int, expected: str) -> None:
    assert outcome("meta_description", meta_description="x" * size) == expected


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("All good. Todos los días.", []),
        ("a\nTODO: more\n\nLorem  ipsum, lorem ipsum", [2, 4]),
        ("[insert name]", [1]),
        ("[Your Name]\n[Source: to be added]\n[your guide](/a), [Your loaf][1], [your own]: /b, [Yourcenar]", [1, 2]),
        ("It rises.【4†source】\nIt rests. citeturn0search0\n:contentReference[oaicite:1]", [1, 2, 3]),
        ("As an AI language model, I can't.", [1]),
        ("a\nb, as an AI\nlanguage model, and\nlorem\nipsum", [2, 4]),
        ("- lorem\n- ipsum\n\nas an AI\n\nmodel", []),
        ("a\n\n- b TKTK\n", [3]),
        ("`TODO`\n\n```\nTODO\n```\n", []),
        ("a\nTODO\n===\n", [2]),
    ],
)
def test_placeholders(markdown: str, lines: list[int]) -> None:
    found = outcomes("placeholders", markdown=markdown)
    assert [one["line"] for one in found if one["outcome"] == "failed"] == lines


@pytest.mark.parametrize(
    ("long", "short"), [(MANY, "short"), ("天" * 20, "地" * 19), ("天" * 19 + "ry", "天" * 19 + "。")]
)
def test_repeated_paragraphs_of_twenty_words(long: str, short: str) -> None:
    text = f"{long}\n\n{short}\n\n{short}\n\n{long}\n"
    found = outcomes("repeated_paragraphs", markdown=text)
    assert [(one["outcome"], one["line"]) for one in found] == [("failed", 7)]


def test_items_of_a_list_are_paragraphs_if_blank_lines_are_between_them() -> None:
    assert outcome("repeated_paragraphs", markdown=f"- {MANY}\n- {MANY}\n") == "passed"
    assert outcome("repeated_paragraphs", markdown=f"- {MANY}\n\n- {MANY}\n") == "failed"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/a", "passed"),
        ("a/b?c#d", "passed"),
        ("#d", "failed"),
        ("https://a.example", "passed"),
        ("mailto:a@b.example", "passed"),
        ("javascript:alert(1)", "failed"),
        ("ftp://a.example", "failed"),
        ("https://", "failed"),
        ("http://a.example:99999", "failed"),
        ("http://[::1", "failed"),
        ("https://a example", "failed"),
        ("https://a.example/b c", "passed"),
        ("data:text/html,x", "failed"),
    ],
)
def test_links(address: str, expected: str) -> None:
    assert outcome("links", markdown=f"[a](<{address}>)") == expected
    assert outcome("links", markdown=f"![a](<{address}>)") == expected


@cache
def hostile() -> dict[str, str]:
    """Returns the shapes of text that take longest, filled up to 2 MB where they are shorter."""
    return {
        "paragraphs": "a\n\n",
        "emphasis in each line": "*a*\n",
        "rows": "|a|b|\n|-|-|\n" + "|a|b|\n" * 400_000,
        "bare rows": "|a|\n|-|\n" + "a\n" * 1_048_000,
        "headings": "#\n",
        "different headings": "".join(f"# alpha{number} x\n" for number in range(130_000)),
        "underlined headings": "a\n-\n",
        "nested lists": "- a\n  - b\n    - c\n",
        "numbered items": "1) a\n2. b\n",
        "quotes": "> a\n\n",
        "links": "[a](b)\n",
        "different links": "".join(f"[](a{number})" for number in range(190_000)),
        "different web links": "".join(f"[](http://a/{number}%20)" for number in range(90_000)),
        "bare links": "http://a.b ",
        "uses of a definition": "[a]: b\n\n" + "[a] " * 520_000,
        "definitions": "".join(f"[a{number}]: b\n" for number in range(150_000)),
        "images": "![](b)\n",
        "html blocks": "<p>\n\n",
        "html in text": "a <img src=a>\n",
        "links in one block of html": "<div>\n" + "x<a>" * 524_000,
        "entities": "&lt;a",
        "one line": "word " * 419_430,
        "one line of brackets": "[",
        "placeholders": "TODO\n\n",
        "mixed": "# a\n\n*b* [c](d) ![](e)\n\n- f\n",
    }


WORST = (
    "html blocks",
    "different links",
    "html in text",
    "different web links",
    "nested lists",
    "uses of a definition",
)


@pytest.mark.slow
@pytest.mark.contract("decided-checks.fast")
@pytest.mark.parametrize("shape", hostile() if os.environ.get("EVERY_BOMB") else WORST)
def test_two_megabytes_are_checked_within_a_second(shape: str) -> None:
    text = hostile()[shape]
    given = subject(
        markdown=(text * (1 + LENGTH // len(text)))[:LENGTH] if len(text) < 100 else text[:LENGTH],
        keyword="x y z",
        outline="\n".join(f"alpha{number} beta{number} gamma" for number in range(200)),
        reference_urls=[f"https://e.example/{number}" for number in range(20)],
        internal_links=[{"title": f"T{number}", "slug": f"t{number}", "isPublished": True} for number in range(20)],
    )

    def check() -> None:
        assert len(run_checks(given, {}, CHECKS)) < 10_000

    assert quickest(check, 3, seconds_of_processor) < 3, "a second on a processor of its own"


def test_headings_that_nearly_cover_many_lines_of_an_outline_are_compared_quickly() -> None:
    lines = range(300)
    headings = "".join(f"# alfa{one} beta{other}\n" for one in lines for other in lines if one != other)
    outline = "\n".join(f"alfa{one} beta{one} gama" for one in lines)

    def compare() -> None:
        assert len(outcomes("outline_covered", markdown=headings, outline=outline)) == len(lines)

    assert quickest(compare, 1.5) < 1.5, "half a second; comparing each heading with each line takes three"


def test_a_text_of_too_many_elements_fails_what_reads_it_whole_and_so_hides_nothing() -> None:
    text = "*a*\n" * 75_000 + "\n\nTODO\n"
    results = run_checks(subject(markdown=text), {"placeholders": "error"}, CHECKS)
    assert failed_errors(results)
    told = [one["check"] for one in results if "over 300,000 elements" in one["message"]]
    of_sources = ["sources_known", "sources_cited", "numbers_sourced"]
    assert told == [
        *of_sources,
        *("heading_levels", "image_alt", "placeholders", "model_slips", "repeated_paragraphs", "links", "html_kept"),
    ]


ARTICLE = "# Rye\n\nRye is dark.\n"


@pytest.mark.contract("decided-checks.slips")
@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        (ARTICLE, []),
        (f"```markdown\n{ARTICLE}```\n", [1]),
        (f"\ufeff~~~\n{ARTICLE}~~~\n\n", [1]),
        (f"```\n{ARTICLE}```\n\nMore.\n", []),
        (f"---\ntitle: Rye\n---\n\n{ARTICLE}", [1]),
        (f"\n+++\ntitle = 'Rye'\n+++\n\n{ARTICLE}", [2]),
        (f"---\n\nRye: dark.\n\n---\n\n{ARTICLE}", []),
        (f"Sure! Here is the article you asked for:\n\n{ARTICLE}", [1]),
        (f"Intro.\n\nI've written the article for you.\n\n{ARTICLE}", [3]),
        (f"Let me know if you'd like it shorter.\n\n{ARTICLE}", [1]),
        ("Here’s the draft based on your brief:\n\nRye is dark.\n", [1]),
        (f"{ARTICLE}\nHere is the recipe that I have written down for you.\n", []),
        (f"Here is what rye does. Of course, it is dark. Here are the ingredients:\n\n{ARTICLE}", []),
        ("# Rye\n\nRye is dark.\\n\\n## Oats\\nOats are light.\n\nMore.\\n", [3, 5]),
        ("# Rye\n\nIn `a\\nB`, C:\\New and $\\nabla$.\n\n    a\\nB\n", []),
        ("# Rye\n\n```py\nprint()\n", [3]),
        ("# Rye\n\n~~~\n```\n~~~~\n\n> ```\n> code\n\n```inline``` code\n", []),
        ("````\n```\nHere is the article you asked for\n", [1]),
    ],
)
def test_slips_of_models_are_found_where_they_stand(markdown: str, lines: list[int]) -> None:
    found = [one for one in outcomes("model_slips", markdown=markdown) if one["outcome"] == "failed"]

    assert [one["line"] for one in found] == lines


@pytest.mark.contract("decided-site.kept")
@pytest.mark.parametrize(
    ("markdown", "lost"),
    [
        ("# A\n\n<div>\n<b>b</b> <!-- c -->\n</div>\n\n- [ ] d[^1]\n\n[^1]: e", []),
        ("a\n\n<iframe src='https://b.example'></iframe>\n\n<IFRAME>", [("<iframe>", 3)]),
        ("<p style='color:red' id=a>b</p>", [("`style` of <p>", 1), ("`id` of <p>", 1)]),
        ("a <script>alert(1)</script>\n\n<style>b{}</style>", [("<script>", 1), ("<style>", 3)]),
        ("<div>\n\na\n\n<form>\n<input name=b>\n</form></div>", [("<form>", 5), ("<input>", 6)]),
        ('<h2 id="a" class="b">c</h2> <a id="d"></a>', [("`class` of <h2>", 1)]),
        ("![a](data:image/png;base64,AAAA)", [("`data:`", 1)]),
        (
            "a\n[b](javascript:c) ![d](mailto:e@f.example)",
            [("link with `javascript:`", 2), ("image with `mailto:`", 2)],
        ),
        ("`<iframe>`\n\n```html\n<iframe>\n```", []),
        ('<a href="tel:1">b</a> <a href="ftp://a.example">c</a>', [("`ftp:`", 1)]),
        ('<video controls><source src="a.mp4"></video>', [("<video>", 1)]),
    ],
)
def test_what_is_lost_in_html_is_named_once_a_kind(markdown: str, lost: list[tuple[str, int]]) -> None:
    found = [one for one in outcomes("html_kept", markdown=markdown) if one["outcome"] == "failed"]
    assert [one["line"] for one in found] == [line for _, line in lost]
    assert all(words in one["message"] for one, (words, _) in zip(found, lost, strict=True)), found


@pytest.mark.contract("decided-site.links")
@pytest.mark.parametrize(
    ("link", "fails"),
    [
        ("#größe", False),
        ("#gr%C3%B6%C3%9Fe", False),
        ("#same-1", False),
        ("#same-2", True),
        ("#fn-1", False),
        ("#anchor", False),
        ("#", False),
        ("#top", False),
        ("#none", True),
        ("/other#none", False),
    ],
)
def test_a_fragment_leads_to_an_id_of_the_text(link: str, fails: bool) -> None:
    markdown = f"# Größe\n\n## Same\n\n## Same\n\n[a]({link})[^1] <a id='anchor'></a>\n\n[^1]: b"
    found = [one for one in outcomes("links", markdown=markdown) if one["outcome"] == "failed"]
    assert [one["line"] for one in found] == [7] * fails


@pytest.mark.contract("decided-site.links")
@pytest.mark.parametrize(
    ("address", "site", "slug"),
    [
        ("loaf", "", "loaf"),
        ("./loaf", "", "loaf"),
        *((f"{before}loaf{after}", "", "loaf") for before in ("", "../") for after in ("/", "?b", "/#c")),
        ("../a/loaf", "", None),
        ("/loaf", "", None),
        ("https://a.example/loaf", "", None),
        ("https://a.example/loaf/?b#c", "https://a.example/", "loaf"),
        ("https://a.example/blog/loaf.html#c", "https://a.example/blog/{slug}.html", "loaf"),
        ("https://a.example/blog/", "https://a.example/blog/", None),
        ("https://a.example/other/loaf", "https://a.example/blog/", None),
        ("http://loaf.a.example/", "https://{slug}.a.example/", "loaf"),
    ],
)
def test_the_slug_that_a_link_leads_to(address: str, site: str, slug: str | None) -> None:
    assert slugs_of_links([address], site).get(address) == slug
