"""Counts of requests in fixed windows, kept in this process: the storage that Flask-Limiter counts in.

The memory storage that comes with it starts a thread for each request 10 ms after the last, to forget old
counts; under load that costs more than the rest of the limit. Here old counts are forgotten while counting.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from limits.storage import Storage

SWEEP_SECONDS = 60


class ProcessStorage(Storage):
    """A count and an end for each key; `limits` finds it by the scheme of `process://`."""

    STORAGE_SCHEME = ["process"]

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **options: Any) -> None:
        super().__init__(uri, wrap_exceptions=wrap_exceptions, **options)
        self._windows: dict[str, tuple[int, float]] = {}
        self._swept = 0.0
        self._lock = threading.Lock()

    @property
    def base_exceptions(self) -> type[Exception]:
        """The errors of a storage elsewhere; this one has none."""
        return RuntimeError

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Counts up and returns the count; the first of a window begins it."""
        now = time.time()
        with self._lock:
            self._sweep(now)
            count, end = self._windows.get(key, (0, 0.0))
            if end <= now:
                count, end = 0, now + expiry
            self._windows[key] = (count + amount, end)
        return count + amount

    def get(self, key: str) -> int:
        """Returns the count of the present window."""
        count, end = self._windows.get(key, (0, 0.0))
        return count if end > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """Returns the instant at which the present window ends."""
        return max(self._windows.get(key, (0, 0.0))[1], time.time())

    def check(self) -> bool:
        """Tells that the storage is there."""
        return True

    def reset(self) -> int:
        """Forgets everything and returns how much that was."""
        with self._lock:
            many = len(self._windows)
            self._windows.clear()
        return many

    def clear(self, key: str) -> None:
        """Forgets a key."""
        with self._lock:
            self._windows.pop(key, None)

    def _sweep(self, now: float) -> None:
        if now - self._swept >= SWEEP_SECONDS:
            self._swept = now
            self._windows = {key: window for key, window in self._windows.items() if window[1] > now}
