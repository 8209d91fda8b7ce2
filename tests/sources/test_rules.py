"""Definitions of the footnotes that cite sources, as markdown (decisions, section 22)."""

import re
from typing import Any

import pytest

from app.core.text.html import to_html
from app.sources.rules import definition_of, definitions_after, rendered_with

SOURCE: Any = {
    "number": 1,
    "title": "A *b* [c](d) <i>e</i> `f` www.x.example \\ &amp; _g_",
    "url": "https://a.example/x_(y)?z=1&w=2",
    "publisher": "P\n# Q",
    "publishedOn": "2026-05-01",
}


@pytest.mark.contract("decided-sources.delivery")
def test_a_definition_is_plain_text_on_one_line() -> None:
    html = to_html(rendered_with("One[^s1].", [SOURCE]))

    assert "\n" not in definition_of(SOURCE)
    assert 'href="https://a.example/x_(y)?z=1&amp;w=2"' in html
    assert ">A *b* [c](d) &lt;i&gt;e&lt;/i&gt; `f` www.x.example \\ &amp;amp; _g_</a>, P # Q, 2026-05-01 <a" in html
    assert html.count("<a ") == 3


@pytest.mark.contract("decided-sources.delivery")
@pytest.mark.parametrize(
    "text",
    [
        "One[^s1].",
        "- One[^s1]",
        "> One[^s1]",
        "One[^s1].\n\n```\ncode\n```\n",
        "<b>[^s1]</b>",
        "One[^s1][^a].\n\n[^a]: Two.",
    ],
)
def test_a_published_text_stands_alone_with_its_definitions(text: str) -> None:
    definitions = definitions_after(text, [SOURCE])

    assert definitions == f"[^s1]: {definition_of(SOURCE)}\n"
    assert 'id="fn-s1"' in to_html(f"{text}\n\n{definitions}")


@pytest.mark.contract("decided-sources.delivery")
@pytest.mark.parametrize(
    "end", ["```\na", "~~~~\n```", "<!-- a", "<pre>\na", "<script>\na", "<style>a", "<?a", "<![CDATA[ a"]
)
def test_no_definitions_follow_a_text_that_ends_inside_of_code_or_html(end: str) -> None:
    text = f"One[^s1].\n\n{end}"

    assert definitions_after(text, [SOURCE]) == ""
    if not end.startswith(("<!", "<?")):  # which hide from browsers what follows them
        assert 'id="fn-s1"' in to_html(rendered_with(text, [SOURCE])), "the html has them all the same"


@pytest.mark.parametrize(
    "text", ["    code", "\ufeff# One[^s1]", "---\n\nOne[^s1]", "\tcode[^s1]\n\n[^s1]", "=\n\nOne[^s1]"]
)
def test_definitions_change_nothing_else_of_a_text(text: str) -> None:
    with_sources = to_html(rendered_with(text, [SOURCE])).partition('<section class="footnotes"')[0]

    without = to_html(text).replace('id="ones1"', 'id="one"')  # a citation is no part of a heading's id
    assert re.sub(r"<sup.*?</sup>", "[^s1]", with_sources) == without
