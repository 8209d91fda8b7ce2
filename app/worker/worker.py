"""Runs the jobs, each in a thread of its own, so that none waits for another, and stops them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from app.http.tracing import trace_database
from app.settings import Settings
from app.store.store import Store, connect
from app.worker.errors import errors_logged
from app.worker.jobs import Job, jobs

log = logging.getLogger("content_workflow.worker")

STOP_SECONDS = 25


class Worker:
    """A worker that runs until it is stopped."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(job,), name=job.name, daemon=True) for job in jobs]

    def start(self) -> Worker:
        """Starts all jobs."""
        log.info("worker started", extra={"jobs": [job.name for job in self._jobs]})
        for thread in self._threads:
            thread.start()
        return self

    def wait(self) -> None:
        """Returns when `request_stop` or `stop` was called."""
        self._stopping.wait()

    def request_stop(self) -> None:
        """Ends `wait`; for a signal handler, which must not wait itself."""
        self._stopping.set()

    def stop(self) -> None:
        """Stops all jobs; returns when each has finished its present run."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(STOP_SECONDS)
        unfinished = [thread.name for thread in self._threads if thread.is_alive()]
        log.info("worker stopped", extra={"unfinished": unfinished})

    def _run(self, job: Job) -> None:
        pause = 0.0
        while not self._stopping.wait(pause):
            pause = job.pause_seconds
            with errors_logged(job.name, self._stopping):
                pause = 0.0 if job.run() else job.pause_seconds
        job.close()


def create_worker(settings: Settings, store: Store | None = None) -> Worker:
    """Returns a worker that is not started, with a connection to MongoDB of its own unless one is given."""
    trace_database(settings)
    store = store or connect(settings.mongodb_uri, settings.database, settings.deadline_seconds)
    return Worker(jobs(store, settings))
