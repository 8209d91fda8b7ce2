"""A cache for all threads of a process, bounded in memory."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import LRUCache

V = TypeVar("V")


class SharedCache(Generic[V]):
    """Values by key; the least recently used are evicted. What a key stands for never changes."""

    def __init__(self, room: int, size_of: Callable[[V], int]) -> None:
        self._most, self._size_of = room // 8, size_of
        self._values: LRUCache[Hashable, V] = LRUCache(room, getsizeof=size_of)
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        """Returns the value of a key, or None."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: Hashable, value: V) -> None:
        """Stores a value, unless it would take over an eighth of the cache."""
        if self._size_of(value) <= self._most:
            with self._lock:
                self._values[key] = value
