"""Work for one project after the other: one that fails is logged, rests, comes last and holds up no other."""

from types import SimpleNamespace

import pytest

from app.core import worker
from app.core.errors import ServiceUnavailable
from app.core.store.store import Store, TooManyWriters
from app.core.worker import ProjectByProject

PROJECTS = ("first", "second", "third")


class Runs:
    """Notes for which projects it ran; fails for those that it is given."""

    def __init__(self, **fails: Exception) -> None:
        self.fails = fails
        self.ran: list[str] = []

    def __call__(self, project_id: str) -> int:
        self.ran.append(project_id)
        if project_id in self.fails:
            raise self.fails[project_id]
        return 2


def test_the_results_are_added_up_also_where_a_project_fails(store: Store, logged: pytest.LogCaptureFixture) -> None:
    assert ProjectByProject("test").each(store, lambda: PROJECTS, Runs(second=ValueError())) == 4

    [line] = [vars(record) for record in logged.records]
    assert (line["job"], line["projectId"]) == ("test", "second")


def test_a_project_that_failed_rests_and_then_comes_last(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    projects, now = ProjectByProject("test"), 1_000.0
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: now))
    projects.each(store, lambda: PROJECTS, Runs(first=ValueError()))

    resting, rested, again = Runs(), Runs(), Runs()
    projects.each(store, lambda: PROJECTS, resting)
    now += worker.FAILURE_PAUSE_SECONDS
    projects.each(store, lambda: PROJECTS, rested)
    projects.each(store, lambda: PROJECTS, again)

    assert resting.ran == ["second", "third"]
    assert rested.ran == ["second", "third", "first"]
    assert again.ran == [*PROJECTS]


def test_where_mongodb_is_unreachable_the_others_have_their_turn_next_time(store: Store) -> None:
    projects, others = ProjectByProject("test"), Runs()

    unreachable = Runs(first=ServiceUnavailable())
    projects.each(store, lambda: PROJECTS, unreachable)
    projects.each(store, lambda: PROJECTS, others)

    assert unreachable.ran == ["first"]
    assert others.ran == ["second", "third"]


def test_where_others_write_the_same_record_the_next_projects_have_their_turn(store: Store) -> None:
    busy = Runs(first=TooManyWriters())

    ProjectByProject("test").each(store, lambda: PROJECTS, busy)

    assert busy.ran == [*PROJECTS]
