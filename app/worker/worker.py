"""Runs the jobs, each in a thread of its own, so that none waits for another; ends them cleanly."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from app.errors import ServiceUnavailable, WriteConflict
from app.http.tracing import trace_database
from app.settings import Settings
from app.store.store import Store, connect
from app.worker.jobs import Job, jobs

log = logging.getLogger("content_workflow.worker")

AFTER_AN_ERROR = 2.0
"""How many seconds a job rests after MongoDB was away, or a bug showed."""
END_SECONDS = 25


class Worker:
    """A running worker."""

    def __init__(self, todo: Sequence[Job]) -> None:
        self._jobs = todo
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(job,), name=job.name, daemon=True) for job in todo]

    def start(self) -> Worker:
        """Begins with all jobs."""
        log.info("worker begins", extra={"jobs": [job.name for job in self._jobs]})
        for thread in self._threads:
            thread.start()
        return self

    def wait(self) -> None:
        """Returns when the worker was told to stop."""
        self._over.wait()

    def stop(self) -> None:
        """Has every job end what it is at, and no more; returns when they have."""
        self._over.set()
        for thread in self._threads:
            thread.join(END_SECONDS)
        log.info("worker ends", extra={"unfinished": [thread.name for thread in self._threads if thread.is_alive()]})

    def tell_to_stop(self) -> None:
        """Ends `wait`; for a signal's handler, which must not wait itself."""
        self._over.set()

    def _run(self, job: Job) -> None:
        pause = 0.0
        while not self._over.wait(pause):
            try:
                pause = 0.0 if job.run() else job.pause_seconds
            except WriteConflict:
                pause = job.pause_seconds
            except ServiceUnavailable:
                log.warning("database away", extra={"job": job.name})
                pause = AFTER_AN_ERROR
            except Exception:
                log.exception("job failed", extra={"job": job.name})
                pause = AFTER_AN_ERROR
        job.end()


def worker_of(settings: Settings, store: Store | None = None) -> Worker:
    """Returns a worker that is not running yet, with a connection of its own."""
    trace_database(settings)
    store = store or connect(settings.mongodb_uri, settings.database, settings.deadline_seconds)
    return Worker(jobs(store, settings))


def start_in_background(settings: Settings) -> Worker:
    """Runs a worker beside what else this process does, until `stop` or the process's end."""
    return worker_of(settings).start()
