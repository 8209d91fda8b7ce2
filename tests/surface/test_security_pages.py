"""The pages about security name tests that are there, and every row of the OWASP API Security Top 10."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/security.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", (CHECKOUT / page).read_text("utf-8"))

    assert len(named) > 5
    assert [path for path, _ in named if not (CHECKOUT / path).exists()] == []
    functions = [(path, name) for path, name in named if name]
    assert [one for one in functions if f"def {one[1]}(" not in (CHECKOUT / one[0]).read_text("utf-8")] == []


def test_every_row_of_the_owasp_api_security_top_10_has_a_test() -> None:
    rows = re.findall(
        r"^\| API(\d+) .*\|.*\| .*`tests/.*` \|$", (CHECKOUT / "SECURITY.md").read_text("utf-8"), re.MULTILINE
    )

    assert rows == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-run.lock"])
def test_every_locked_package_has_hashes(lock: str) -> None:
    packages = re.split(r"\n(?=[\w.-]+(?:\[[\w,-]+\])?==)", "\n" + (CHECKOUT / lock).read_text("utf-8"))[1:]

    assert len(packages) > 40
    assert [one.split()[0] for one in packages if "--hash=sha256:" not in one] == []
    assert not re.search(r"^(-e|git\+|https?:)| @ ", "\n".join(packages), re.MULTILINE), "each comes from the index"
