"""Markdown is read as GitHub's specification says, by many threads at once, and no memory is lost."""

import json
import re
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nh3
import pytest

from app.core.text.html import ATTRIBUTES, ELEMENTS, GIVEN, to_html

EXAMPLES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "gfm_spec" / "examples.json").read_text("utf-8"))
OTHERWISE = {
    "bare addresses are links, which these examples switch off": {614, 616, 619, 620},
    "a comment may hold two hyphens, as in CommonMark 0.31": {645, 646},
    "elements that are not allowed are left out, not shown as text": {653},
    "elements of the author's end with the paragraph or quote that they begin in": {
        *(118, 144, 156, 354, 485, 486, 503, 632, 633, 634, 635, 650, 651, 663, 664)
    },
    "what stands in a table outside its cells gets a cell": {160},
    "tags that never end are shown as text": {126, 127, 128},
    "an instruction is left out whole": {149, 649},
    "only the tag is left out of a style that never ends": {142},
    "a table of a head alone has an empty body": {205},
}


def without_breaks(html: str) -> str:
    """Returns html without the line breaks and spaces beside tables' tags and boxes, where they show nothing."""
    return re.sub(r"\n?(</?(?:table|thead|tbody|tr|t[dh]|input)\b[^>]*>)\s?", r"\1", html)


def as_specified(html: str) -> str:
    """Returns an example's html as the sanitiser leaves it: what is compared is how the markdown was read."""
    return nh3.clean(
        html.replace('checked="" disabled="" type="checkbox"', 'disabled="" type="checkbox" checked=""'),
        tags=set(ELEMENTS),
        attributes={**ATTRIBUTES, "code": set[str]() if "language-" not in html else {"class"}},
        set_tag_attribute_values=GIVEN,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener",
    )


def test_markdown_is_read_as_the_specification_says() -> None:
    otherwise = {
        example["example"]
        for example in EXAMPLES
        if without_breaks(to_html(example["markdown"])) != without_breaks(as_specified(example["html"]))
    }

    assert otherwise == set().union(*OTHERWISE.values())


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
    markdown = "Some **text** with [a link](https://example.com) and `code`.\n\n" * 2_000
    for _ in range(5):
        to_html(markdown)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        to_html(markdown)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "KB"
