"""The contract in `docs/contract`: code that names a part of it names one that is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PAGES = TOP / "docs" / "contract"
CODE = ("app", "graphql_app", "mcp_tools", "tests")
GIVEN = TOP.parent / "shared" / "contract"
"""Where the contract comes from; a user's clone has none."""

IN_CONTRACT = re.compile(r"\(contract[:] ([^;):,]+)")
IN_DECISIONS = re.compile(r"decisions, sections? ((?:\d+(?:, | and )?)+)")


def headings(page: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", (PAGES / page).read_text("utf-8"), re.MULTILINE)


def named(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yields each place in the code that names a part, and what it names."""
    for folder in CODE:
        for path in sorted((TOP / folder).rglob("*.py")):
            for found in pattern.finditer(path.read_text("utf-8")):
                yield str(path.relative_to(TOP)), found[1]


def test_every_part_of_the_contract_that_code_names_is_there() -> None:
    known = [re.sub(r" \(.*", "", heading) for heading in headings("service.md")]

    assert {place: part for place, part in named(IN_CONTRACT) if part not in known} == {}
    assert len(list(named(IN_CONTRACT))) > 10


def test_every_section_of_the_decisions_that_code_names_is_there() -> None:
    known = {heading.partition(".")[0] for heading in headings("decisions.md")}

    sections = [(place, one) for place, some in named(IN_DECISIONS) for one in re.findall(r"\d+", some)]

    assert [(place, one) for place, one in sections if one not in known] == []
    assert len(sections) > 100


@pytest.mark.skipif(not GIVEN.is_dir(), reason="the contract is in docs/contract alone")
@pytest.mark.parametrize("page", ["service.md", "decisions.md"])
def test_the_pages_are_the_contract_as_it_was_given(page: str) -> None:
    assert (PAGES / page).read_text("utf-8") == (GIVEN / page).read_text("utf-8")
