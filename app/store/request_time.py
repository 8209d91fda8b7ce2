"""How long the request at hand has waited for MongoDB, so that all of its steps share one deadline."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LEAST_SECONDS = 0.001
"""What a step gets whose request has no time left: it is refused at its first command."""


@dataclass
class _Used:
    seconds: float = 0
    is_counting: bool = False


_used: ContextVar[_Used | None] = ContextVar("used", default=None)


def begin_request() -> None:
    """Makes all steps of this thread share one deadline from now on; without it, as in the worker, each has its own."""
    _used.set(_Used())


def end_request() -> None:
    """Ends the shared deadline: each step of this thread has its own again."""
    _used.set(None)


@contextmanager
def time_left(seconds: float) -> Iterator[float]:
    """Yields how many of `seconds` the current request has left, and counts the time spent inside, once if nested."""
    used = _used.get()
    if used is None or used.is_counting:
        yield seconds
        return
    used.is_counting, began = True, time.monotonic()
    try:
        yield max(seconds - used.seconds, LEAST_SECONDS)
    finally:
        used.is_counting = False
        used.seconds += time.monotonic() - began
