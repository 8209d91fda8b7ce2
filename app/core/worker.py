"""The worker runs jobs, each in a thread of its own, so that none waits for another, and stops them; logs what fails.

Any number of workers may run at once, as a process (`content-workflow worker`) or inside `serve`: shared work is leased
in MongoDB, or done by atomic writes.
"""

from __future__ import annotations

import collections
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from prometheus_client import Counter, Gauge

from app.core.errors import ServiceUnavailable, WriteConflict
from app.core.store.clock import CHECK_SECONDS
from app.core.store.outage import is_first
from app.core.store.outbox import BATCH, Outboxes
from app.core.store.store import Store, TooManyWriters

log = logging.getLogger("content_workflow.worker")

FAILURE_PAUSE_SECONDS = 2.0
"""How long after a failure a job, or a project in it, is tried again."""
STOP_SECONDS = 6
"""How long jobs have to finish: an attempt that takes longer is made again, when its lease has expired."""
RELAYED = Counter("content_workflow_events_relayed", "Events that this worker published to feeds.")
LAST_RUN = Gauge(
    "content_workflow_job_last_run_timestamp_seconds",
    "When a worker last ended a run of a job without an error.",
    ["job_name"],  # Prometheus has a label `job` of its own, and would rename this one
    multiprocess_mode="mostrecent",
)
PAUSE = Gauge(
    "content_workflow_job_pause_seconds",
    "How long a job pauses between two runs.",
    ["job_name"],
    multiprocess_mode="mostrecent",
)
WAITING = Gauge(
    "content_workflow_job_projects_waiting",
    "Projects that a job found something for in its last run.",
    ["job_name"],
    multiprocess_mode="mostrecent",
)
DRIFT = Gauge(
    "content_workflow_clock_drift_seconds",
    "How far the clock of this server is ahead of MongoDB's.",
    multiprocess_mode="mostrecent",
)
UNUSABLE = Gauge(
    "content_workflow_database_unusable",
    "1 while this worker can't use MongoDB, or the database lacks a unique index or a validator or has another "
    "release's form; other indexes that are lost are only logged.",
    multiprocess_mode="mostrecent",
)
REASON_LENGTH = 300
"""How much of a conflict's reason is logged: the index is in its beginning, and after it come the whole records."""


@dataclass(frozen=True)
class Job:
    """Work that runs periodically."""

    name: str
    pause_seconds: float
    run: Callable[[], bool]
    """Runs the job once; returns whether there may be more to do without a pause."""
    close: Callable[[], None] = lambda: None
    """Ends the threads that the job has of its own."""
    after_events: bool = False
    """True if it also runs at once when events were relayed, which may have queued something for it."""


MakeJob = Callable[[Store, Any], Job]
"""Makes a job of the worker from its store and the server's settings."""


def log_error(error: Exception, **about: str) -> None:
    """Logs why a job failed, for one project where `about` names it.

    A conflict means that another worker was first. One that repeats means that records contradict each other.
    """
    if isinstance(error, WriteConflict):
        reason = str(error.__cause__ or type(error).__name__)[:REASON_LENGTH]
        log.warning("write conflict", extra={**about, "reason": reason})
    elif isinstance(error, TooManyWriters):
        error.report(log, **about)
    elif isinstance(error, ServiceUnavailable):  # concerns all jobs alike
        if error.reason and is_first(error.for_the_log):
            error.report(log)
    else:
        log.error("job failed", exc_info=error, extra=about)


def project_by_project(name: str, pause_seconds: float, run: Callable[..., bool], store: Store, *more: Any) -> Job:
    """Returns a job that does its work for one project after the other, in steps that are short enough."""
    return Job(name, pause_seconds, partial(run, store, ProjectByProject(name), *more))


def jobs(store: Store, settings: Any) -> tuple[Job, ...]:
    """Returns the jobs of a worker."""
    others = tuple(make(store, settings) for make in store.features.jobs())
    then = [job.run for job in others if job.after_events]
    clock = Job("check the clock", CHECK_SECONDS, partial(check_clock, store))
    every = (project_by_project("relay events", 0.2, relay_events, store, *then), *others, clock)
    database = Job("check the database", CHECK_SECONDS, partial(check_database, store))
    return (*(replace(job, run=partial(_in_this_form, store, job.run)) for job in every), database)


def _in_this_form(store: Store, run: Callable[[], bool]) -> bool:
    """Runs a job; raises `FormDiffers` instead where the database has the form of another release."""
    with store.deadline():
        store.check_form()
    return run()


def check_clock(store: Store) -> bool:
    """Reads MongoDB's clock, whose difference is then in the metrics."""
    store.now()
    DRIFT.set(store.clock.drift)
    return False


def check_database(store: Store) -> bool:
    """Checks that the database can be used, so that the log and the metrics say so where it can't."""
    try:
        store.check_usable()
        lost = store.check_prepared(with_projects=True)
    except ServiceUnavailable:
        UNUSABLE.set(1)
        raise
    UNUSABLE.set(0)
    if lost:
        log.warning("database differs", extra={"missing": lost, "remedy": "content-workflow db init creates them"})
    return False


def relay_events(store: Store, projects: ProjectByProject, *then: Callable[[], object]) -> bool:
    """Moves a batch of events of each project to its feed; calls `then` at once when something may have been queued.

    Only after a full batch there may be more to do without a pause: a batch costs the same for one event as for many.
    """
    batches = list[int]()

    def relay(project_id: str) -> int:
        events = store[Outboxes].publish_batch(project_id)
        if events:
            batches.append(events)
            RELAYED.inc(events)
            log.info("events relayed", extra={"projectId": project_id, "events": events})
        return events

    relayed = projects.each(store, store[Outboxes].projects_waiting, relay)
    for send in then if relayed else ():
        send()
    return BATCH in batches


class Worker:
    """A worker that runs until it is stopped."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(job,), name=job.name, daemon=True) for job in jobs]

    def start(self) -> Worker:
        """Starts all jobs."""
        log.info("worker started", extra={"jobs": [job.name for job in self._jobs]})
        for thread, job in zip(self._threads, self._jobs, strict=True):
            LAST_RUN.labels(job.name).set(0)
            PAUSE.labels(job.name).set(job.pause_seconds)
            thread.start()
        return self

    def wait(self) -> None:
        """Returns when `request_stop` or `stop` was called."""
        self._stopping.wait()

    def request_stop(self) -> None:
        """Ends `wait`; for a signal handler, which must not wait itself."""
        self._stopping.set()

    def stop(self) -> None:
        """Stops all jobs; returns when each has finished its present run, or `STOP_SECONDS` are over."""
        self._stopping.set()
        ends = time.monotonic() + STOP_SECONDS
        for thread in self._threads:
            thread.join(max(0, ends - time.monotonic()))
        unfinished = [thread.name for thread in self._threads if thread.is_alive()]
        log.info("worker stopped", extra={"unfinished": unfinished})

    def end_process(self) -> None:
        """Ends this process at once if a job has not ended: Python would wait for what it still sends."""
        if any(thread.is_alive() for thread in self._threads):
            logging.shutdown()
            os._exit(0)

    def _run(self, job: Job) -> None:
        pause = 0.0
        while not self._stopping.wait(pause):
            try:
                pause = 0.0 if job.run() else job.pause_seconds
                LAST_RUN.labels(job.name).set_to_current_time()
            except Exception as error:
                log_error(error, job=job.name)
                pause = FAILURE_PAUSE_SECONDS
        job.close()


class ProjectByProject:
    """Does a job's work for one project after the other; one that fails rests and comes last, and holds up no other."""

    def __init__(self, job: str) -> None:
        self._job = job
        self._paused_until: dict[str, float] = {}
        """Until when each project that failed last time is paused."""

    def each(
        self,
        store: Store,
        find: Callable[[], Iterable[str]],
        work: Callable[[str], int],
        *,
        is_sweep: bool = False,
    ) -> int:
        """Calls `work` for each project that `find` returns and that is not paused; returns the sum of the results.

        Each call has a deadline of its own. Ends early when MongoDB can't be reached: the calls for other projects
        would fail as well. A sweep looks at every project, so none of them waits for it.
        """
        with store.deadline():
            project_ids = list(find())
        if not is_sweep:
            WAITING.labels(self._job).set(len(project_ids))
        total, now = 0, time.monotonic()
        for project_id in sorted(project_ids, key=lambda one: self._paused_until.get(one, 0.0)):
            if self._paused_until.get(project_id, 0.0) > now:
                break
            try:
                with store.deadline():
                    total += work(project_id)
                self._paused_until.pop(project_id, None)
            except Exception as error:
                log_error(error, job=self._job, projectId=project_id)
                self._paused_until[project_id] = time.monotonic() + FAILURE_PAUSE_SECONDS
                if isinstance(error, ServiceUnavailable) and not isinstance(error, TooManyWriters):
                    break
        return total


class ProjectPool:
    """Threads for a job that runs per project: all projects share them, and one uses only a few at a time."""

    def __init__(self, job: str, threads: int, per_project: int) -> None:
        self._job = job
        self._threads = threads
        self._per_project = per_project
        self._lock = threading.Lock()
        self._running: collections.Counter[str] = collections.Counter()
        self._closed = threading.Event()
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=job)

    @property
    def is_full(self) -> bool:
        """True if all threads are busy, or the pool is closed."""
        with self._lock:
            return self._closed.is_set() or self._running.total() >= self._threads

    def full_projects(self) -> list[str]:
        """Returns the projects that use the most threads allowed."""
        with self._lock:
            return [project_id for project_id, running in self._running.items() if running >= self._per_project]

    def submit(self, project_id: str, run: Callable[[], object]) -> bool:
        """Runs something for a project when a thread is free; False when the project uses all that it may."""
        with self._lock:
            if self._running[project_id] >= self._per_project:
                return False
            self._running[project_id] += 1
        self._executor.submit(self._run, project_id, run)
        return True

    def close(self, *, cancel: bool = True) -> None:
        """Waits until what is running has ended; what waits for a thread is not started, or run with `cancel=False`."""
        self._closed.set()
        self._executor.shutdown(cancel_futures=cancel)

    def _run(self, project_id: str, run: Callable[[], object]) -> None:
        try:
            run()
        except Exception as error:
            log_error(error, job=self._job, projectId=project_id)
            self._closed.wait(FAILURE_PAUSE_SECONDS)
        finally:
            with self._lock:
                self._running[project_id] -= 1
                if not self._running[project_id]:
                    del self._running[project_id]
