"""The end of an outage of MongoDB: once one was logged, so is how long it took."""

import logging
import threading
import time
from collections.abc import Callable, Iterable

from cachetools import TTLCache

from app.core.errors import ServiceUnavailable

log = logging.getLogger("content_workflow.database")

CHECK_SECONDS = 1.0
CLOSED = "MongoClient after close"
"""PyMongo's reason as a process or a command ends."""


_said: TTLCache[str, bool] = TTLCache(maxsize=10, ttl=60)
_lock = threading.Lock()


def is_first(message: str) -> bool:
    """Returns whether a message was not asked about in the last minute, or since an outage ended."""
    with _lock:
        first = message not in _said
        if first:
            _said[message] = True
        return first


class Outage:
    """Waits for MongoDB in one thread, however many requests and jobs report that it can't be used."""

    def __init__(self) -> None:
        self._waiting = threading.Lock()

    def wait_for_end(self, checks: Iterable[Callable[[], object]], message: str) -> None:
        """Begins to call the checks until none refuses with `ServiceUnavailable`, and logs that with a message."""
        if self._waiting.acquire(blocking=False):
            arguments = (checks, message, time.monotonic())
            threading.Thread(target=self._wait, args=arguments, name="outage", daemon=True).start()

    def _wait(self, checks: Iterable[Callable[[], object]], message: str, began: float) -> None:
        try:
            while True:
                time.sleep(CHECK_SECONDS)
                try:
                    for check in checks:
                        check()
                except ServiceUnavailable as error:
                    if CLOSED in error.reason:
                        return
                else:
                    with _lock:
                        _said.clear()
                    log.info(message, extra={"awaySeconds": round(time.monotonic() - began, 1)})
                    return
        finally:
            self._waiting.release()
