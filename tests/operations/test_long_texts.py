"""Long texts are processed one at a time, and projects take turns."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.errors import ServiceUnavailable
from app.operations.long_texts import OneAtATime

SECONDS = 30


def test_a_project_with_many_long_texts_has_one_turn_before_that_of_another_project() -> None:
    work, order, first_ends = OneAtATime(), list[str](), threading.Event()

    def read(project: str) -> None:
        with work.turn(project, SECONDS):
            order.append(project)
            first_ends.wait(SECONDS)
            time.sleep(0.01)

    with ThreadPoolExecutor(9) as threads:
        reads = [threads.submit(read, "many") for _ in range(8)]
        while not order:
            time.sleep(0.01)
        reads.append(threads.submit(read, "other"))
        time.sleep(0.1)
        first_ends.set()
    assert [one.result() for one in reads] == [None] * 9
    assert order.index("other") <= 2


def test_a_text_whose_turn_does_not_come_in_time_is_refused() -> None:
    work = OneAtATime()

    with work.turn("many", SECONDS):
        with ThreadPoolExecutor(2) as threads:
            waits = [threads.submit(_enter, work, project) for project in ("many", "other")]
        assert [type(one.exception()) for one in waits] == [ServiceUnavailable] * 2
    _enter(work, "other")


def _enter(work: OneAtATime, project: str) -> None:
    with work.turn(project, 0.05):
        pass


@pytest.mark.parametrize("project", ["one", "another"])
def test_a_text_that_fails_gives_its_turn_back(project: str) -> None:
    work = OneAtATime()

    with pytest.raises(ZeroDivisionError), work.turn("one", SECONDS):
        1 / 0  # noqa: B018
    _enter(work, project)
