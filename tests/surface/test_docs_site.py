"""The site of the docs has every page, every link leads somewhere, and what the code says is as the code says it."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.features import ALL, OPERATIONS
from docs_site.generated import COMMITTED, PART, status_diagram, with_parts
from docs_site.sources import TOP, gather


def pages_of(nav: Any) -> list[str]:
    """Returns the pages that a part of the navigation names."""
    if isinstance(nav, str):
        return [nav]
    return [page for one in (nav.values() if isinstance(nav, dict) else nav) for page in pages_of(one)]


@pytest.mark.parametrize("page", COMMITTED, ids=lambda page: page.name)
def test_generated_parts_are_as_the_code_has_them(page: Path) -> None:
    written = page.read_text("utf-8")
    assert COMMITTED[page](written) == written, "Run `python -m docs_site`."


def test_the_diagram_of_statuses_says_what_the_table_of_moves_says() -> None:
    diagram = status_diagram()

    assert "unpublish: to the same status, drafting where that is published" in diagram
    assert "open --> approved: approve (from drafting)" in diagram
    assert "open --> review: submit\n" in diagram


def test_the_navigation_names_every_page(tmp_path: Path) -> None:
    gather(tmp_path / "source")
    pages = {str(page.relative_to(tmp_path / "source")) for page in (tmp_path / "source").rglob("*.md")}
    named = pages_of(tomllib.loads((TOP / "zensical.toml").read_text("utf-8"))["project"]["nav"])
    assert sorted(named) == sorted(pages)


@pytest.mark.parametrize(("page", "what"), [("rest.md", "summary"), ("tools.md", "name")])
def test_the_reference_names_every_operation(tmp_path: Path, page: str, what: str) -> None:
    gather(tmp_path / "source")
    text = (tmp_path / "source" / "reference" / page).read_text("utf-8")
    operations = [one for one in OPERATIONS if one.route or (page == "tools.md" and one.tool)]
    operations = [one for one in operations if one.tool or page != "tools.md"]
    assert [one.name for one in operations if getattr(one, what) not in text] == []


@pytest.mark.slow
def test_every_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere(tmp_path: Path) -> None:
    """`zensical build --strict` refuses links to pages and headings that are not there."""
    gather(tmp_path / "build" / "docs-source")
    shutil.copy(TOP / "zensical.toml", tmp_path)
    zensical = Path(sys.executable).with_name("zensical")
    built = subprocess.run(
        [zensical, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr

    html = "".join(page.read_text("utf-8") for page in (tmp_path / "build" / "docs").rglob("*.html"))
    assert re.findall(r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="https?:[^"]*"', html) == []


def test_the_page_on_the_api_names_every_type_of_event() -> None:
    table = (TOP / "docs" / "api.md").read_text("utf-8").partition("| Record | Types |")[2].partition("\n\n")[0]
    named = set()
    for row in re.findall(r"^\| [a-z ,]+ \| (.*) \|$", table, re.MULTILINE):
        things = {one.partition(".")[0] for one in re.findall(r"`([a-z_]+\.?)", row)}
        named |= {f"{thing}{what}" for thing in things for what in re.findall(r"\.[a-z_]+", row)}
    assert named == set(ALL.event_types)


def test_the_pages_together_have_at_most_22_900_words() -> None:
    """Generated pages and parts are not counted, and neither is the contract."""
    pages = [page for page in (TOP / "docs").glob("*.md") if COMMITTED.get(page, with_parts) is with_parts]
    assert sum(len(PART.sub("", page.read_text("utf-8")).split()) for page in pages) <= 22_900
