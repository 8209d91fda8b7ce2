"""Limits how many requests do one thing at the same time: in total, per token, per project and per address."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from typing import NamedTuple, Self

from app.errors import ServiceUnavailable

Key = tuple[str, str]
Keys = tuple[Key, ...]

ALONE_SECONDS = 1.0
"""The first key of a request is alone when no request with another first key has come for so long."""


class Bound(NamedTuple):
    """A number of places, and how many requests may wait for one."""

    places: int
    waiting: int = 0
    alone: int = 0
    """How many places a first key, such as the caller, has while it is alone, if more."""


class ConcurrencyLimit:
    """Bounds how many requests do something at the same time, in total and for each key (a token, a project, …).

    A request over a bound waits for a place, first come first served. It is refused with `ServiceUnavailable` after
    `seconds`, or immediately when the queue is full.
    """

    def __init__(self, total: Bound, *, seconds: float = 0, busy: str = "", **bounds: Bound) -> None:
        self._total, self._bounds, self._seconds, self.busy = total, bounds, seconds, busy
        self._lock = threading.Lock()
        self._used: Counter[Key] = Counter()
        self.taken = 0
        """How many places are taken."""
        self._last_key: Key | None = None
        self._shared_until = 0.0
        self._queue: deque[_Waiter] = deque()
        self._waiting: Counter[Key] = Counter()

    @property
    def waiting(self) -> int:
        """How many requests wait for a place."""
        return len(self._queue)

    @property
    def threads(self) -> int:
        """How many threads it holds at most: those with a place, and those that wait for one."""
        return sum(self._total)

    def is_full(self, **keys: str) -> bool:
        """Returns whether as many requests wait as may, in total or with one of the keys."""
        return len(self._queue) >= self._total.waiting or any(
            self._waiting[key] >= self._bounds[key[0]].waiting for key in keys.items()
        )

    def place(self, instead_of: Place | None = None, /, **keys: str) -> Place:
        """Returns a place for a request, named by its keys: `token="…", address="…"`.

        `instead_of` is the place that the request holds and gives up: where the bounds of all keys allow it, nobody
        else gets it in between. Raises `ServiceUnavailable` when it gets none in time.
        """
        wanted = tuple(keys.items())
        with self._lock:
            if wanted[0] != self._last_key:
                self._last_key, self._shared_until = wanted[0], time.monotonic() + ALONE_SECONDS
            if instead_of is not None and instead_of.held:
                instead_of.held = False
                self._give_back(instead_of.keys)
            if self._fits(wanted):
                self._take(wanted)
                return Place(self, wanted)
            self._let_in()
            if self.is_full(**keys):
                raise ServiceUnavailable(self.busy)
            waiter = _Waiter(wanted)
            self._queue.append(waiter)
            self._waiting.update(wanted)
        if not waiter.turn.wait(self._seconds):
            with self._lock:
                if not waiter.turn.is_set():
                    self._forget(waiter)
                    raise ServiceUnavailable(self.busy)
        return Place(self, wanted)

    def release(self, keys: Keys) -> None:
        """Gives a place back, and gives it to the waiting request that fits and has waited longest."""
        with self._lock:
            self._give_back(keys)
            self._let_in()

    def _give_back(self, keys: Keys) -> None:
        self.taken -= 1
        _subtract(self._used, keys)

    def _let_in(self) -> None:
        for waiter in list(self._queue):
            if self.taken >= self._total.places:
                break
            if self._fits(waiter.keys):
                self._forget(waiter)
                self._take(waiter.keys)
                waiter.turn.set()

    def _forget(self, waiter: _Waiter) -> None:
        self._queue.remove(waiter)
        _subtract(self._waiting, waiter.keys)

    def _fits(self, keys: Keys) -> bool:
        return self.taken < self._total.places and all(
            self._used[key] < self._bounds[key[0]].places or self._fits_alone(key) for key in keys
        )

    def _fits_alone(self, key: Key) -> bool:
        return self._used[key] < self._bounds[key[0]].alone and time.monotonic() > self._shared_until

    def _take(self, keys: Keys) -> None:
        self.taken += 1
        self._used.update(keys)


class Place:
    """A place under a limit, until it is released or its block ends; releasing it again does nothing."""

    def __init__(self, limit: ConcurrencyLimit, keys: Keys) -> None:
        self._limit, self.keys, self.held = limit, keys, True

    def release(self) -> None:
        """Gives the place back."""
        if self.held:
            self.held = False
            self._limit.release(self.keys)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class _Waiter:
    def __init__(self, keys: Keys) -> None:
        self.keys = keys
        self.turn = threading.Event()


def _subtract(counts: Counter[Key], keys: Keys) -> None:
    for key in keys:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]
