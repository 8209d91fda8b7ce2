"""The switch interval is longer while a burst of requests has started many threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from flask import Flask

from app.http import switch_interval

pytestmark = pytest.mark.skipif(not switch_interval.THREADS.exists(), reason="no count of threads in /proc")


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


def test_the_interval_is_longer_while_there_are_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    now = len(list(switch_interval.THREADS.iterdir()))
    monkeypatch.setattr(switch_interval, "MANY", now + 50)  # what other tests started may end meanwhile
    app = Flask(__name__)
    switch_interval.install(app)
    assert sys.getswitchinterval() == pytest.approx(switch_interval.FEW_SECONDS)
    assert interval_after_a_request(app) == pytest.approx(switch_interval.FEW_SECONDS)
    with waiting_threads(100):
        assert interval_after_a_request(app) == pytest.approx(switch_interval.MANY_SECONDS)
    assert interval_after_a_request(app) == pytest.approx(switch_interval.FEW_SECONDS)


def test_the_interval_is_short_where_the_system_does_not_count_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switch_interval, "THREADS", Path("/proc/self/nothing"))
    app = Flask(__name__)
    switch_interval.install(app)
    with waiting_threads(switch_interval.MANY):
        assert interval_after_a_request(app) == pytest.approx(switch_interval.FEW_SECONDS)
