"""The time that the work at hand has left to wait for MongoDB, so that all of its steps share one deadline."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token

import pymongo

LEAST_SECONDS = 0.001
"""Time limit, in seconds, of a step whose request has no time left: it is refused at its first command."""


class _Clock:
    """Counts the time in which commands are bounded; it stands still while a request waits for something else."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """How long it may run in all."""
        self.is_running = False
        self._used, self._began = 0.0, 0.0
        self._timeout: AbstractContextManager[object]

    @property
    def left(self) -> float:
        """How many seconds are left."""
        used = self._used + (time.monotonic() - self._began if self.is_running else 0)
        return max(self.seconds - used, LEAST_SECONDS)

    def start(self) -> None:
        """Bounds the commands that follow on this thread by the time that is left."""
        self._timeout = pymongo.timeout(self.left)
        self._timeout.__enter__()
        self._began, self.is_running = time.monotonic(), True

    def stop(self) -> None:
        """Ends that."""
        self._used, self.is_running = self._used + time.monotonic() - self._began, False
        self._timeout.__exit__(None, None, None)


_clock: ContextVar[_Clock | None] = ContextVar("clock", default=None)
"""The clock of the request, or of the step outside of requests; None outside of both."""


def begin_request() -> None:
    """Makes all steps of this thread share one deadline from now on; without it, as in the worker, each has its own."""
    _clock.set(_Clock())


def end_request() -> None:
    """Ends the shared deadline: each step of this thread has its own again."""
    _clock.set(None)


class TimeLeft:
    """Bounds all commands inside by `seconds`, or by what the work at hand has left of them; yields that.

    Inside another one, that one holds. A generator as context manager would take three times as long, and each request
    enters several.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._started: tuple[_Clock, Token[_Clock | None]] | None = None

    def __enter__(self) -> float:
        clock = _clock.get() or _Clock()
        if not clock.is_running:
            self._started = clock, _clock.set(clock)
            clock.seconds = self._seconds
            clock.start()
        return clock.left

    def __exit__(self, *_error: object) -> None:
        if self._started is not None:
            clock, token = self._started
            clock.stop()
            _clock.reset(token)


@contextmanager
def outside_of_request() -> Iterator[None]:
    """Gives each step inside a deadline of its own, as in the worker: for work that takes longer than a request may."""
    with standing_still():
        token = _clock.set(None)
        try:
            yield
        finally:
            _clock.reset(token)


@contextmanager
def standing_still() -> Iterator[None]:
    """Counts the time inside towards no deadline, except for what `Store.deadline` is called for there."""
    clock = _clock.get()
    if clock is None or not clock.is_running:
        yield
        return
    clock.stop()
    try:
        yield
    finally:
        clock.start()
