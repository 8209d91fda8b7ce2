"""Bounds the CPU-bound work on long texts: one at a time, so that other requests do not wait for it."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from app.errors import ServiceUnavailable
from app.operations.context import Context

PROCESSED_TOGETHER = 100_000
"""Up to this many characters, texts are processed in parallel; longer ones one at a time."""
GROUPS = 64
"""In how many groups projects wait for their turns."""
BUSY = "Too many long texts are being read or compared: try again in a few seconds."


class OneAtATime:
    """A kind of work that is done on one long text at a time.

    Of each project one text waits for that, and its others for this one: a project with many has one turn before that
    of another project.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._of_project = [threading.Lock() for _ in range(GROUPS)]

    @contextmanager
    def turn(self, project_id: str, seconds: float) -> Iterator[None]:
        """Does the work inside when it is its turn. Refuses with `ServiceUnavailable` where that is not soon enough."""
        ends = time.monotonic() + seconds
        with _held(self._of_project[hash(project_id) % GROUPS], ends), _held(self._turn, ends):
            yield


@contextmanager
def _held(lock: threading.Lock, ends: float) -> Iterator[None]:
    if not lock.acquire(timeout=max(0, ends - time.monotonic())):
        raise ServiceUnavailable(BUSY)
    try:
        yield
    finally:
        lock.release()


_READING = OneAtATime()


def alone_if_long(ctx: Context, markdown: str, work: OneAtATime = _READING) -> AbstractContextManager[object]:
    """Returns a context manager to process a text in: for a long one, the turn that the kind of work gives it.

    Refuses with `ServiceUnavailable` where no turn comes within the deadline of a request.
    """
    long = len(markdown) > PROCESSED_TOGETHER
    return work.turn(ctx.project_id, ctx.store.deadline_seconds) if long else nullcontext()
