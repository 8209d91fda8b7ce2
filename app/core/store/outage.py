"""The end of an outage of MongoDB: once one was logged, so is how long it took."""

import logging
import threading
import time
from collections.abc import Callable

from app.core.errors import ServiceUnavailable

log = logging.getLogger("content_workflow.database")

CHECK_SECONDS = 1.0
CLOSED = "MongoClient after close"
"""PyMongo's reason as a process or a command ends."""


class Outage:
    """Waits for MongoDB in one thread, however many requests and jobs report that it can't be used."""

    def __init__(self) -> None:
        self._waiting = threading.Lock()

    def wait_for_end(self, check: Callable[[], None]) -> None:
        """Begins to call `check` until it refuses with `ServiceUnavailable` no more, and logs that."""
        if self._waiting.acquire(blocking=False):
            threading.Thread(target=self._wait, args=(check, time.monotonic()), name="outage", daemon=True).start()

    def _wait(self, check: Callable[[], None], began: float) -> None:
        try:
            while True:
                time.sleep(CHECK_SECONDS)
                try:
                    check()
                except ServiceUnavailable as error:
                    if CLOSED in error.reason:
                        return
                else:
                    log.info("database reachable again", extra={"awaySeconds": round(time.monotonic() - began, 1)})
                    return
        finally:
            self._waiting.release()
