"""How long a thread that computes holds up the others: longer where a burst of requests has started many threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from flask import Flask

from app.http import turns

pytestmark = pytest.mark.skipif(not turns.THREADS.exists(), reason="the system does not count threads in /proc")


@pytest.fixture(autouse=True)
def _interval_as_before() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)


@contextmanager
def waiting_threads(count: int) -> Iterator[None]:
    """Has so many more threads wait inside the block, and end with it."""
    over = threading.Event()
    threads = [threading.Thread(target=over.wait) for _ in range(count)]
    with ExitStack() as stack:
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
        stack.callback(over.set)
        yield


def interval_after_a_request(app: Flask) -> float:
    app.test_client().get("/")
    return sys.getswitchinterval()


def test_the_interval_is_longer_while_there_are_many_threads() -> None:
    app = Flask(__name__)
    turns.install(app)
    assert sys.getswitchinterval() == pytest.approx(turns.FEW_SECONDS)
    assert interval_after_a_request(app) == pytest.approx(turns.FEW_SECONDS)
    with waiting_threads(turns.MANY):
        assert interval_after_a_request(app) == pytest.approx(turns.MANY_SECONDS)
    assert interval_after_a_request(app) == pytest.approx(turns.FEW_SECONDS)


def test_the_interval_is_short_where_the_system_does_not_count_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "THREADS", Path("/proc/self/nothing"))
    app = Flask(__name__)
    turns.install(app)
    with waiting_threads(turns.MANY):
        assert interval_after_a_request(app) == pytest.approx(turns.FEW_SECONDS)
