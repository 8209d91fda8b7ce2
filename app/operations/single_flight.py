"""Reads that many callers want at once, done once for all of them and still never older than the call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class _Flight(Generic[V]):
    """One read, and the gate that those who wait for it pass one after the other; whoever reads holds it shut."""

    def __init__(self) -> None:
        self.gate = threading.Lock()
        self.gate.acquire()
        self.begun = False
        self.value: V | None = None
        self.error: BaseException | None = None

    def wait(self) -> None:
        """Returns when the read is done. A lock wakes up one waiter at a time, an event all of them at once."""
        with self.gate:
            pass


class SingleFlight(Generic[V]):
    """Lets callers share reads: who comes while one is under way shares the next, which begins after they came."""

    def __init__(self) -> None:
        self._last: dict[Hashable, _Flight[V]] = {}
        self._lock = threading.Lock()

    def read(self, key: Hashable, read: Callable[[], V]) -> V:
        """Returns what `read` gives, called after this was; by this caller, or by another who waits as well."""
        with self._lock:
            before = self._last.get(key)
            turn = before if before is not None and not before.begun else None
            leads = turn is None
            if turn is None:
                turn = self._last[key] = _Flight()
        if leads:
            self._lead(key, turn, before, read)
        else:
            turn.wait()
        if turn.error is not None:
            raise turn.error
        return turn.value  # type: ignore[return-value]  # there is one where there is no error

    def _lead(self, key: Hashable, turn: _Flight[V], before: _Flight[V] | None, read: Callable[[], V]) -> None:
        try:
            if before is not None:
                before.wait()
            with self._lock:
                turn.begun = True
            turn.value = read()
        except BaseException as error:
            turn.error = error
        finally:
            with self._lock:
                if self._last.get(key) is turn:
                    del self._last[key]
            turn.gate.release()
