"""The pool of threads that projects share: one project never uses more than its part."""

import threading
from collections.abc import Iterator

import pytest

from app.core import worker
from app.core.errors import ServiceUnavailable
from app.core.worker import ProjectPool


@pytest.fixture
def pool() -> Iterator[ProjectPool]:
    """A pool of three threads, of which a project uses at most two."""
    pool = ProjectPool("test", threads=3, per_project=2)
    yield pool
    pool.close()


def test_a_project_uses_only_its_part_and_another_is_run_beside_it(pool: ProjectPool) -> None:
    end, ran = threading.Event(), threading.Event()

    assert [pool.submit("busy", end.wait) for _ in range(3)] == [True, True, False]
    assert (pool.full_projects(), pool.is_full) == (["busy"], False)
    assert pool.submit("other", ran.set)

    assert ran.wait(30)
    end.set()


@pytest.mark.parametrize("error", [ServiceUnavailable, ValueError])
def test_what_fails_gives_its_thread_back_after_a_rest(
    pool: ProjectPool, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.setattr(worker, "FAILURE_PAUSE_SECONDS", 0.01)

    def fails() -> None:
        raise error

    for _ in range(2):
        pool.submit("broken", fails)
    while pool.full_projects():
        pass

    ran = threading.Event()
    assert pool.submit("broken", ran.set)
    assert ran.wait(30)


def test_closing_ends_what_runs_and_begins_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, begun, end = ProjectPool("test", threads=1, per_project=5), threading.Event(), threading.Event()
    ran: list[str] = []

    def runs() -> None:
        begun.set()
        end.wait()
        ran.append("first")

    pool.submit("one", runs)
    pool.submit("one", lambda: ran.append("second"))
    begun.wait()
    shutdown = pool._executor.shutdown

    def ends_meanwhile(**options: bool) -> None:
        shutdown(wait=False, **options)
        end.set()
        shutdown()

    monkeypatch.setattr(pool._executor, "shutdown", ends_meanwhile)
    pool.close()

    assert ran == ["first"]
