"""How long the request at hand has waited for MongoDB, so that all of its steps share one deadline."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LEAST_SECONDS = 0.001
"""What a step gets whose request has no time left: it is refused at its first command."""


_waits: ContextVar[list[float] | None] = ContextVar("waits", default=None)
"""How long each step of the request has waited; None outside of requests, and inside of a step."""


def begin_request() -> None:
    """Makes all steps of this thread share one deadline from now on; without it, as in the worker, each has its own."""
    _waits.set([])


def end_request() -> None:
    """Ends the shared deadline: each step of this thread has its own again."""
    _waits.set(None)


@contextmanager
def time_left(seconds: float) -> Iterator[float]:
    """Yields how many of `seconds` the current request has left, and counts the time spent inside, once if nested."""
    waits = _waits.get()
    if waits is None:
        yield seconds
        return
    token, began = _waits.set(None), time.monotonic()
    try:
        yield max(seconds - sum(waits), LEAST_SECONDS)
    finally:
        _waits.reset(token)
        waits.append(time.monotonic() - began)
