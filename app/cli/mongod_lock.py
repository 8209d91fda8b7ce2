"""One thing shared by several processes: made by the first that comes, ended by the last that goes.

The kernel keeps the count (flock), so a process that is killed is counted out, and leaves nothing that stops the next.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

T = TypeVar("T")


@contextmanager
def shared(folder: Path, start: Callable[[], T], stop: Callable[[], None]) -> Iterator[T]:
    """Runs a block as one of the users of what `start` returns.

    Each user calls `start`, which finds what is there already; the last one calls `stop`. Never do two run at once.
    """
    with (folder / "users.lock").open("a") as users:
        try:
            with _alone(folder):
                fcntl.flock(users, fcntl.LOCK_SH)
                started = start()
            yield started
        finally:
            with _alone(folder):
                if _is_last(users):
                    stop()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "boot.lock").open("a") as boot:
        fcntl.flock(boot, fcntl.LOCK_EX)
        yield


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
