"""Logs the failure of a job, and lets the job run again after a pause."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import ServiceUnavailable, WriteConflict

log = logging.getLogger("content_workflow.worker")

REST_SECONDS = 2.0


@contextmanager
def errors_logged(job: str, stopping: threading.Event) -> Iterator[None]:
    """Logs what is raised inside, and waits a while afterwards, or until `stopping` is set."""
    try:
        yield
    except WriteConflict:
        pass  # another worker was first
    except ServiceUnavailable:
        log.warning("database unreachable", extra={"job": job})
        stopping.wait(REST_SECONDS)
    except Exception:
        log.exception("job failed", extra={"job": job})
        stopping.wait(REST_SECONDS)
