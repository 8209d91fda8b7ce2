"""The contract in `docs/contract`: code that names a part of it names one that is there."""

import re
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[2]
PAGES = TOP / "docs" / "contract"
CODE = ("app", "graphql_app", "mcp_tools", "tests")

IN_CONTRACT = re.compile(r"\(" + r"contract: ([^;):,]+)")
IN_DECISIONS = re.compile(r"decisions, " + r"sections? ((?:\d+(?:, | and )?)+)")
WRITTEN_OTHERWISE = re.compile(r"\((section " + r"\d+)|([Dd]ecisions,? \d+)|(Decisions, " + r"section)")


def headings(page: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", (PAGES / page).read_text("utf-8"), re.MULTILINE)


def named(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yields each place in the code that names a part, and what it names."""
    for folder in CODE:
        for path in sorted((TOP / folder).rglob("*.py")):
            for found in pattern.finditer(path.read_text("utf-8")):
                yield str(path.relative_to(TOP)), found[1] or found[0]


def test_every_part_of_the_contract_that_code_names_is_there() -> None:
    known = [re.sub(r" \(.*", "", heading) for heading in headings("service.md")]

    parts = list(named(IN_CONTRACT))

    assert [(place, part) for place, part in parts if part not in known] == []
    assert len(parts) > 10


def test_every_section_of_the_decisions_that_code_names_is_there() -> None:
    known = {heading.partition(".")[0] for heading in headings("decisions.md")}

    sections = [(place, one) for place, some in named(IN_DECISIONS) for one in re.findall(r"\d+", some)]

    assert [(place, one) for place, one in sections if one not in known] == []
    assert len(sections) > 100


def test_sections_are_named_in_one_way() -> None:
    assert list(named(WRITTEN_OTHERWISE)) == []
