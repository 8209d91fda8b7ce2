"""A cache of what a project delivers, valid while the delivery revision stays the same; bounded in memory."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import LRUCache

V = TypeVar("V")
NEVER_CHANGES = 0
"""The revision of values that stay the same, such as what is generated from a body, which is immutable."""


class RevisionCache(Generic[V]):
    """Values by key, each with the revision that it was made at; the least recently used are evicted.

    A value is made after its revision was read, so it is never older than that revision. A change of a revision is one
    small write, and every process sees it at its next read.
    """

    def __init__(self, room: int, size_of: Callable[[V], int]) -> None:
        self._room = room
        self._size_of = size_of
        self._rows: LRUCache[Hashable, tuple[int, V]] = LRUCache(room, getsizeof=lambda row: size_of(row[1]))
        self._lock = threading.Lock()

    def get(self, key: Hashable, revision: int) -> V | None:
        """Returns the value of a key, or None if there is none of this revision."""
        with self._lock:
            row = self._rows.get(key)
        return row[1] if row is not None and row[0] == revision else None

    def put(self, key: Hashable, revision: int, value: V) -> None:
        """Stores a value, unless it would take over an eighth of the cache."""
        if self._size_of(value) * 8 > self._room:
            return
        with self._lock:
            self._rows[key] = (revision, value)
