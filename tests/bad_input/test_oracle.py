"""The campaign notices what must not be: else that it finds nothing says nothing."""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from app.core.store.store import Store
from tests.bad_input import campaign
from tests.bad_input.campaign import Outcome, run

pytestmark = pytest.mark.needs_mongod


class Broken:
    """A target that does one thing wrong."""

    def __init__(self, do: Callable[[Store], Any]) -> None:
        self._do = do

    def begin(self, store: Store) -> None:
        self._store = store

    def make(self, chance: random.Random) -> int:
        return chance.randrange(100)

    def run(self, given: int) -> Outcome:
        return self._do(self._store) or Outcome(True)

    def end(self) -> str | None:
        return None


def fails(store: Store) -> None:
    raise ValueError("It breaks.")


def takes_long(store: Store) -> None:
    time.sleep(0.06)


def does_not_end(store: Store) -> None:
    while True:
        time.sleep(0.01)


def writes(store: Store) -> None:
    store.database.members.insert_one({}, bypass_document_validation=True)


@pytest.mark.parametrize(
    ("do", "notices"),
    [
        (fails, "It breaks."),
        (takes_long, "It took"),
        (does_not_end, "There was no answer"),
        (writes, "It must not write"),
        (lambda store: Outcome(False, "It was answered with 500"), "It was answered with 500"),
    ],
)
def test_what_must_not_be_is_found_and_can_be_repeated(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch, do: Callable[[Store], Any], notices: str
) -> None:
    monkeypatch.setattr(campaign, "LOOKED_AT", 1)
    if do is takes_long:
        monkeypatch.setattr(campaign, "MAX_SECONDS", 0.05)
    if do is does_not_end:
        monkeypatch.setattr(campaign, "STUCK_SECONDS", 0.2)

    finding = run("rest", Broken(do), fresh_store, seed=3, inputs=2).findings[0]

    assert notices in finding
    assert "# make fuzz TARGET=rest SEED=3 FIRST=0 INPUTS=1\n" in finding


def test_what_works_is_no_finding(fresh_store: Store) -> None:
    assert run("rest", Broken(lambda store: None), fresh_store, seed=3, inputs=50).findings == []
