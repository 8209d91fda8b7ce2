"""A worker that is stopped waits for its jobs, for all of them together no longer than for one."""

import threading
import time

import pytest

from app.core import worker
from app.core.worker import Job, Worker


def test_jobs_that_do_not_end_are_waited_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "STOP_SECONDS", 0.3)
    end = threading.Event()
    endless = Worker([Job(f"job {number}", 1, end.wait) for number in range(20)]).start()

    began = time.monotonic()
    endless.stop()

    assert time.monotonic() - began < 20 * 0.3 / 2
    end.set()
    endless.stop()
