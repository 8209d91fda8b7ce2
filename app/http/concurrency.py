"""What a client can draw out as long as it likes, holding one of the server's sixteen threads: few do it at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import ServiceUnavailable

WAIT_SECONDS = 0.5


class ConcurrencyLimit:
    """So many may do something at once; the next waits a moment for its turn, and is told that it is busy then."""

    def __init__(self, at_once: int, busy: str) -> None:
        self._places = threading.BoundedSemaphore(at_once)
        self._busy = busy

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Holds a place. Refuses with `ServiceUnavailable` when none gets free in time."""
        if not self._places.acquire(timeout=WAIT_SECONDS):
            raise ServiceUnavailable(self._busy)
        try:
            yield
        finally:
            self._places.release()
