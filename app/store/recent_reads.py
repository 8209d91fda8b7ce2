"""What this process read from MongoDB a moment ago, for what every request of a busy list would read again."""

import threading
import time
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SECONDS = 0.2
"""How long a value may be used once its read began; a write that must show at once on every server waits so long before
it is answered. It saves all but five reads a second, however many requests there are."""
ROOM = 10_000


class RecentReads(Generic[K, V]):
    """Values by key, each for a moment after the read that found it began."""

    def __init__(self) -> None:
        self._values: LRUCache[K, tuple[float, V]] = LRUCache(ROOM)
        self._lock = threading.Lock()

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """Returns the values of those of the keys that were read a moment ago."""
        oldest = time.monotonic() - SECONDS
        with self._lock:
            rows = {key: self._values.get(key) for key in keys}
        return {key: row[1] for key, row in rows.items() if row is not None and row[0] >= oldest}

    def put(self, key: K, value: V, began: float) -> None:
        """Stores a value; `began` is what `time.monotonic` said before it was read."""
        with self._lock:
            self._values[key] = (began, value)
