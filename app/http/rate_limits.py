"""Counts the requests of tokens and the failed authentications of addresses in windows of a minute, in this process."""

import math
import threading
import time
from typing import NamedTuple

WINDOW_SECONDS = 60


class Hit(NamedTuple):
    """Whether a request is allowed, how many are left, and in how many seconds the limit resets."""

    allowed: bool
    remaining: int
    reset_seconds: int


class RateLimit:
    """A number of hits per minute for each key; the first hit of a key begins its window."""

    def __init__(self, name: str, per_minute: int) -> None:
        self.policy = f'"{name}";q={per_minute};w={WINDOW_SECONDS}'
        self._per_minute = per_minute
        self._windows: dict[str, tuple[int, float]] = {}
        """The count of each key, and when its window ends."""
        self._swept_at = time.monotonic()
        self._lock = threading.Lock()

    def hit(self, key: str) -> Hit:
        """Counts one request of a key; once a minute, drops the counts of windows that have ended."""
        now = time.monotonic()
        with self._lock:
            if now >= self._swept_at + WINDOW_SECONDS:
                self._swept_at = now
                self._windows = {one: window for one, window in self._windows.items() if window[1] > now}
            count, end = self._windows.get(key, (0, 0.0))
            if end <= now:
                count, end = 0, now + WINDOW_SECONDS
            count += 1
            self._windows[key] = (count, end)
        return Hit(count <= self._per_minute, max(0, self._per_minute - count), math.ceil(end - now))
