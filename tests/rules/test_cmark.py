"""The parser: it reads markdown as the specification says, by many threads, and gives its memory back."""

from __future__ import annotations

import json
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app.rules.cmark import parsed

EXAMPLES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "gfm_spec" / "examples.json").read_text("utf-8"))
OTHERWISE = {
    "a box is written with its attributes in another order": {279, 280},
    "strong inside strong is one strong, as CommonMark 0.31 lets it": {398, 426, 434, 435, 436, 473, 474, 475, 477},
    "addresses are links without brackets too, which these examples switch off": {610, 614, 616, 619, 620},
    "a comment may hold two hyphens, as in CommonMark 0.31": {645, 646},
    "no tag is shown as text: the sanitiser takes out what is not allowed": {653},
}


def html_of(markdown: str) -> str:
    with parsed(markdown) as tree:
        return tree.html()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["example"])
def test_markdown_is_read_as_the_specification_says(example: dict[str, Any]) -> None:
    as_specified = html_of(example["markdown"]) == example["html"]

    assert as_specified is (example["example"] not in set().union(*OTHERWISE.values()))


def test_paragraphs_are_those_outside_of_everything() -> None:
    with parsed("# a\n\nb *c*\n\n> d\n\n- e\n\n  f\n\n<p>g</p>\n\nh") as tree:
        assert list(tree.paragraphs(within=10)) == ["<p>b <em>c</em></p>\n", "<p>h</p>\n"]
        assert list(tree.paragraphs(within=2)) == ["<p>b <em>c</em></p>\n"]


def test_a_null_is_read_as_the_replacement_character() -> None:
    assert html_of("a\0b") == "<p>a\ufffdb</p>\n"


@pytest.mark.slow
def test_threads_that_render_at_once_do_not_disturb_each_other() -> None:
    markdown = "~~gone~~ www.example.com\n\n" * 2_000
    expected = html_of(markdown)

    with ThreadPoolExecutor(4) as threads:
        rendered = list(threads.map(html_of, [markdown] * 40))

    assert [html == expected for html in rendered] == [True] * 40


@pytest.mark.slow
def test_rendering_gives_its_memory_back() -> None:
    markdown = "Some **text** with [a link](https://example.com) and `code`.\n\n" * 5_000
    for _ in range(5):
        html_of(markdown)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(40):
        html_of(markdown)

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20_000, "KB; the wrapper's own functions lose over 80,000"
