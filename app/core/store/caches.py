"""Values that all threads of a process share: single flights, and caches bounded in memory."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from cachetools import LRUCache

V = TypeVar("V")


class SingleFlight(Generic[V]):
    """Lets callers share reads: those that arrive during a read share the next, which begins after they arrived."""

    def __init__(self) -> None:
        self._next: dict[Hashable, Future[V]] = {}
        """The read of each key that has not begun."""
        self._reading: WeakValueDictionary[Hashable, threading.Lock] = WeakValueDictionary()
        """The lock of each key that is being read or waited for."""
        self._lock = threading.Lock()

    def read(self, key: Hashable, read: Callable[[], V]) -> V:
        """Returns the value of a call of `read` that begins after this call; it may be another caller's."""
        with self._lock:
            if shared := self._next.get(key):
                reading = None
            else:
                shared = self._next[key] = Future()
                reading = self._reading.setdefault(key, threading.Lock())
        if reading is not None:
            self._lead(key, shared, reading, read)
        return shared.result()

    def _lead(self, key: Hashable, shared: Future[V], reading: threading.Lock, read: Callable[[], V]) -> None:
        try:
            with reading:
                with self._lock:
                    del self._next[key]
                shared.set_result(read())
        except BaseException as error:
            with self._lock:
                if self._next.get(key) is shared:  # an exception ended the wait for the lock
                    del self._next[key]
            shared.set_exception(error)


class SharedCache(Generic[V]):
    """Values by key; the least recently used are evicted."""

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
