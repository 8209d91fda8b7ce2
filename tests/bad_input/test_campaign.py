"""Twenty seconds of the campaign, divided among the targets; `make fuzz` runs it for as long as one likes."""

import os
import sys
from collections.abc import Iterator

import pytest
from flask import Flask

from app.core.store.store import Store
from tests.bad_input.campaign import MIB
from tests.bad_input.targets import SHARES, database, run_target

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

SECONDS = float(os.environ.get("FUZZ_SECONDS", "2"))
MAX_GROWTH = 64 * MIB
"""What a process may take more after thousands of inputs than after the first: caches fill."""


@pytest.fixture(scope="module")
def served(mongodb_uri: str) -> Iterator[tuple[Store, Flask]]:
    """A database of the campaign's own, with an application on it."""
    with database(mongodb_uri) as both:
        yield both


@pytest.mark.contract("decided-http.errors-are-json")
@pytest.mark.parametrize("name", SHARES)
def test_bad_inputs_are_answered_soon_as_documented_and_change_nothing(
    name: str, mongodb_uri: str, served: tuple[Store, Flask]
) -> None:
    figures = run_target(name, mongodb_uri, *served, seed=1, inputs=1_000_000, seconds=SECONDS)

    assert figures.findings == [], "\n".join(figures.findings)
    assert figures.growth < MAX_GROWTH or not sys.platform.startswith("linux"), figures.growth
