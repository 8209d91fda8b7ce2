"""Concurrent reads of one value, done once for all callers and still never older than any of their calls."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class _Flight(Generic[V]):
    """One read, and the lock that its caller holds until it is done."""

    def __init__(self) -> None:
        self.done = threading.Lock()
        self.done.acquire()
        self.begun = False
        self.value: V | None = None
        self.error: BaseException | None = None

    def wait(self) -> None:
        """Returns when the read is done. A lock wakes one waiter at a time, an event would wake all at once."""
        with self.done:
            pass


class SingleFlight(Generic[V]):
    """Lets callers share reads: those that arrive during a read share the next, which begins after they arrived."""

    def __init__(self) -> None:
        self._last: dict[Hashable, _Flight[V]] = {}
        self._lock = threading.Lock()

    def read(self, key: Hashable, read: Callable[[], V]) -> V:
        """Returns what `read` returns, called after this method by this caller or by another one that waits."""
        with self._lock:
            before = self._last.get(key)
            flight = _Flight() if before is None or before.begun else before
            self._last[key] = flight
        if flight is before:
            flight.wait()
        else:
            self._lead(key, flight, before, read)
        if flight.error is not None:
            raise flight.error
        return flight.value  # type: ignore[return-value]  # set where there is no error

    def _lead(self, key: Hashable, flight: _Flight[V], before: _Flight[V] | None, read: Callable[[], V]) -> None:
        try:
            if before is not None:
                before.wait()
            with self._lock:
                flight.begun = True
            flight.value = read()
        except BaseException as error:
            flight.error = error
        finally:
            with self._lock:
                if self._last.get(key) is flight:
                    del self._last[key]
            flight.done.release()
