"""Work for one project after the other: one that fails is logged, rests, comes last and holds up no other."""

from collections import Counter
from functools import partial
from types import SimpleNamespace

import pytest

from app.core import worker
from app.core.errors import ServiceUnavailable
from app.core.store import outage
from app.core.store.store import AccessDenied, Store, TooManyWriters
from app.core.worker import Job, ProjectByProject, Worker
from tests.live import until

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


@pytest.mark.parametrize("error", [AccessDenied(reason="not authorized"), ServiceUnavailable(reason="no primary")])
def test_what_fails_in_all_jobs_alike_is_logged_once_a_minute(
    error: ServiceUnavailable, logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FAILURE_PAUSE_SECONDS", 0.001)
    outage._said.clear()
    failed: Counter[str] = Counter()

    def fail(name: str) -> bool:
        failed[name] += 1
        raise error

    jobs = [Job(name, 0, partial(fail, name)) for name in ("first", "second")]
    running = Worker(jobs).start()
    until(lambda: all(failed[job.name] > 3 for job in jobs))
    running.stop()

    assert [(line.getMessage(), vars(line)["reason"]) for line in logged.records] == [(error.for_the_log, error.reason)]


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
