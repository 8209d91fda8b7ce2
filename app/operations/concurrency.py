"""Bounds how much a process works on at the same time; what is over a bound is refused at once, and never waits."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import ServiceUnavailable


class ConcurrencyLimit:
    """A semaphore with two bounds: one for all callers together, and one for each caller.

    Amounts are numbers of requests, bytes or characters. While nothing is held, a single amount may exceed both bounds.
    """

    def __init__(self, total: int, each: int, busy: str) -> None:
        self._total, self._each, self._busy = total, each, busy
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()
        self._held_by_all = 0

    def acquire(self, key: str, amount: int = 1) -> None:
        """Counts an amount for a caller. Refuses with `ServiceUnavailable` where that exceeds a bound."""
        with self._lock:
            if _exceeds(self._held_by_all, amount, self._total) or _exceeds(self._held[key], amount, self._each):
                raise ServiceUnavailable(self._busy)
            self._held[key] += amount
            self._held_by_all += amount

    def release(self, key: str, amount: int = 1) -> None:
        """Gives an amount back that was acquired."""
        with self._lock:
            self._held_by_all -= amount
            self._held[key] -= amount
            if not self._held[key]:
                del self._held[key]

    @contextmanager
    def holding(self, key: str, amount: int = 1) -> Iterator[None]:
        """Holds an amount inside the block."""
        self.acquire(key, amount)
        try:
            yield
        finally:
            self.release(key, amount)


def _exceeds(held: int, amount: int, most: int) -> bool:
    return held > 0 and held + amount > most
