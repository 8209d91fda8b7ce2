"""A pool of threads that all projects share, and of which one project uses only a few at a time."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from app.worker.worker import errors_logged


class ProjectPool:
    """Threads for a job that runs per project."""

    def __init__(self, job: str, threads: int, per_project: int) -> None:
        self._job = job
        self._threads = threads
        self._per_project = per_project
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()
        self._closed = threading.Event()
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=job)

    @property
    def is_full(self) -> bool:
        """Whether all threads are busy."""
        with self._lock:
            return self._running.total() >= self._threads

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

    def close(self) -> None:
        """Waits until what is running has ended; what waits for a thread is not started."""
        self._closed.set()
        self._executor.shutdown(cancel_futures=True)

    def _run(self, project_id: str, run: Callable[[], object]) -> None:
        try:
            with errors_logged(self._job, self._closed):
                run()
        finally:
            with self._lock:
                self._running[project_id] -= 1
                if not self._running[project_id]:
                    del self._running[project_id]
