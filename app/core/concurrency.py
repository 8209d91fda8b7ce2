"""Bounds how much a process works on at the same time; what is over a bound is refused at once, and never waits.

That is also the CPU-bound work on long texts: rendering, checking, comparing and dividing them into sections.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from app.core.context import Context
from app.core.errors import ServiceUnavailable
from app.core.text.markdown import LONG


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


PROCESSED = ConcurrencyLimit(
    6_300_000,
    each=4_200_000,
    busy="Too many long texts are being processed: send the request again in a few seconds, with the same idempotency "
    "key.",
)
"""How many characters of long texts a process works on at the same time: three of the longest, of which two may be of a
project, so that two agents who edit sections of one text are not refused.

With four at a time, four comparisons of a million lines took 478 MB."""


def processing(ctx: Context, markdown: str) -> AbstractContextManager[None]:
    """Returns a context manager to process a text in.

    Refuses one of over 100,000 characters with `ServiceUnavailable` while too many others are processed.
    """
    return PROCESSED.holding(ctx.project_id, len(markdown)) if len(markdown) > LONG else nullcontext()
