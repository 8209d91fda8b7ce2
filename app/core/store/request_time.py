"""The time that the work at hand has left to wait for MongoDB, so that all of its steps share one deadline."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

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
        self._timeout = ExitStack()

    @property
    def left(self) -> float:
        """How many seconds are left."""
        used = self._used + (time.monotonic() - self._began if self.is_running else 0)
        return max(self.seconds - used, LEAST_SECONDS)

    def start(self) -> None:
        """Bounds the commands that follow on this thread by the time that is left."""
        self._timeout.enter_context(pymongo.timeout(self.left))
        self._began, self.is_running = time.monotonic(), True

    def stop(self) -> None:
        """Ends that."""
        self._used, self.is_running = self._used + time.monotonic() - self._began, False
        self._timeout.close()


_clock: ContextVar[_Clock | None] = ContextVar("clock", default=None)
"""The clock of the request, or of the step outside of requests; None outside of both."""


def begin_request() -> None:
    """Makes all steps of this thread share one deadline from now on; without it, as in the worker, each has its own."""
    _clock.set(_Clock())


def end_request() -> None:
    """Ends the shared deadline: each step of this thread has its own again."""
    _clock.set(None)


@contextmanager
def time_left(seconds: float) -> Iterator[float]:
    """Bounds all commands inside by `seconds`, or by what the work at hand has left of them; yields that.

    Inside another one, that one holds.
    """
    clock = _clock.get() or _Clock()
    if clock.is_running:
        yield clock.left
        return
    token = _clock.set(clock)
    clock.seconds = seconds
    clock.start()
    try:
        yield clock.left
    finally:
        clock.stop()
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
