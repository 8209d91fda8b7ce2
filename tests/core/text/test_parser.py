"""Markdown is read as GitHub's specification says, by many threads at once, and no memory is lost."""

import json
import re
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nh3
import pytest

from app.core.text.content import content_of, headings_of
from app.core.text.html import ATTRIBUTES, ELEMENTS, GIVEN, to_html
from app.core.text.markdown import LONG

EXAMPLES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "gfm_spec" / "examples.json").read_text("utf-8"))
OWN = re.compile(r'(?<=<h\d) id="[^"]*"| class="(contains-task-list|task-list-item(-checkbox)?)"')
"""The anchors of headings, and the classes of lists of tasks, which the specification does not have."""
OTHERWISE = {
    "bare addresses are links, which these examples switch off": {610, 616, 619, 620},
    "a comment may hold two hyphens, as in CommonMark 0.31": {645, 646},
    "elements that are not allowed are left out, not shown as text": {653},
    "elements of the author's end with the paragraph or quote that they begin in": {
        *(118, 156, 354, 485, 486, 503, 632, 633, 634, 635, 650, 651, 663, 664)
    },
    "what stands in a table outside its cells gets a cell": {160},
    "tags that never end are shown as text": {126, 127, 128},
    "an instruction is left out whole": {149, 649},
    "only the tag is left out of a style that never ends": {142},
}


def as_specified(html: str) -> str:
    """Returns an example's html as the sanitiser leaves it: what is compared is how the markdown was read."""
    return nh3.clean(
        re.sub('<input (.*)disabled="" type="checkbox">', r'<input type="checkbox" \1disabled="">', html),
        tags=set(ELEMENTS),
        attributes={
            **ATTRIBUTES,
            "div": ATTRIBUTES.get("div", set()) - {"class"},
            "code": set[str]() if "language-" not in html else {"class"},
        },
        set_tag_attribute_values=GIVEN,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener",
    )


def test_markdown_is_read_as_the_specification_says() -> None:
    otherwise = {
        example["example"]
        for example in EXAMPLES
        if OWN.sub("", to_html(example["markdown"])) != as_specified(example["html"])
    }

    assert otherwise == set().union(*OTHERWISE.values())


def test_a_long_text_is_read_as_a_short_one() -> None:
    words = "é " * LONG

    assert to_html(f"*a*\r\n{words}\n\n# b") == f'<p><em>a</em>\n{words.strip()}</p>\n<h1 id="b">b</h1>\n'


def test_a_null_is_never_written() -> None:
    assert "\0" not in to_html("a\0b")


@pytest.mark.slow
def test_threads_that_render_at_once_do_not_disturb_each_other() -> None:
    markdown = "~~gone~~ www.example.com <b>bold</b>\n\n" * 500
    expected = to_html(markdown)

    with ThreadPoolExecutor(8) as threads:
        rendered = list(threads.map(to_html, [markdown] * 40))

    assert [html == expected for html in rendered] == [True] * 40


@pytest.mark.slow
def test_rendering_gives_its_memory_back() -> None:
    markdown = "Some **text** with [a link](https://example.com) and `code`.\n\n" * 1_500
    assert len(markdown) <= LONG, "parsed in this process"
    for _ in range(5):
        to_html(markdown)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        to_html(markdown)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "KB"


def test_a_heading_after_quotes_in_quotes_of_a_long_text_has_its_line() -> None:
    deep = "> " * 1_000 + "deep"
    markdown = f"{deep}\n\n# Rye\n\n{'word ' * LONG}"
    assert headings_of(markdown) == [(1, "Rye", 3)]
    assert content_of(markdown).paragraphs[0] == ("deep", 1)
