"""Requests of a token and failed authentications of an address, counted in this process in windows of a minute."""

import math
import threading
import time
from typing import NamedTuple

from cachetools import TTLCache

WINDOW_SECONDS = 60
MAX_KEYS = 50_000
"""How many keys are counted at the same time; beyond it the keys with the oldest windows are counted from 0 again."""


class Hit(NamedTuple):
    """Outcome of a hit: whether the request is allowed, how many are left, and in how many seconds the limit resets."""

    allowed: bool
    remaining: int
    reset_seconds: int


class _Window:
    """The count of one key since its first hit."""

    def __init__(self) -> None:
        self.hits, self.ends = 0, time.monotonic() + WINDOW_SECONDS


class RateLimit:
    """A number of hits per minute for each key."""

    def __init__(self, name: str, per_minute: int) -> None:
        self._per_minute = per_minute
        self._windows: TTLCache[str, _Window] = TTLCache(MAX_KEYS, WINDOW_SECONDS)
        self._lock = threading.Lock()
        self.policy = f'"{name}";q={per_minute};w={WINDOW_SECONDS}'

    def hit(self, key: str) -> Hit:
        """Counts one request of a key; the first one begins a window."""
        with self._lock:
            window = self._windows.setdefault(key, _Window())
            window.hits += 1
            left = self._per_minute - window.hits
        return Hit(left >= 0, max(0, left), max(1, math.ceil(window.ends - time.monotonic())))
