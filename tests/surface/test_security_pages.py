"""The pages about security name tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/security.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(r"`(tests/[\w/.]+)`", (CHECKOUT / page).read_text())

    assert len(named) > 5
    assert [path for path in named if not (CHECKOUT / path).exists()] == []
