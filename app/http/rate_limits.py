"""Requests of a token, counted in this process, and failed authentications of an address, counted in all of a server.

Both are counted in windows of a minute.
"""

import math
import threading
import time
import zlib
from collections.abc import MutableSequence
from multiprocessing.sharedctypes import RawArray
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


SLOTS = 4_096
"""How many keys `SharedRateLimit` tells apart; those with a slot in common are counted together."""

_shared: MutableSequence[float] | None = None


def shared_counts() -> MutableSequence[float]:
    """Returns memory for `share_counts`: of each slot the end of its window, and the hits in it."""
    counts: MutableSequence[float] = RawArray("d", 2 * SLOTS)
    return counts


def share_counts(counts: MutableSequence[float]) -> None:
    """Makes this process count failures where the others of its server do."""
    global _shared
    _shared = counts


class SharedRateLimit:
    """A number of hits per minute for each key in all processes of a server, or in this one where none are shared.

    There is no lock, since a killed process would hold it: of hits at the same instant one may not be counted.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._counts = shared_counts() if _shared is None else _shared

    def hit(self, key: str) -> Hit:
        """Counts one failure of a key; the first one begins a window."""
        slot, now = 2 * (zlib.crc32(key.encode()) % SLOTS), time.monotonic()
        if self._counts[slot] <= now:
            self._counts[slot], self._counts[slot + 1] = now + WINDOW_SECONDS, 0
        self._counts[slot + 1] += 1
        left = self._per_minute - int(self._counts[slot + 1])
        return Hit(left >= 0, max(0, left), max(1, math.ceil(self._counts[slot] - now)))
