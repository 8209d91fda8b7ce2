"""A resource that several processes share: the first process starts it, the last one stops it.

File locks (flock) count the users, so that the kernel releases the lock of a process that is killed.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

T = TypeVar("T")


@contextmanager
def shared(folder: Path, start: Callable[[], T], stop: Callable[[], None]) -> Iterator[T]:
    """Runs a block as one of the users of what `start` returns.

    Each user calls `start`, which returns what is running already; the last one calls `stop`. The two never overlap.
    """
    with (folder / "users.lock").open("a") as users:
        try:
            with _exclusive(folder):
                fcntl.flock(users, fcntl.LOCK_SH)
                started = start()
            yield started
        finally:
            with _exclusive(folder):
                if _is_last(users):
                    stop()


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    with (folder / "boot.lock").open("a") as boot:
        fcntl.flock(boot, fcntl.LOCK_EX)
        yield


def _is_last(users: IO[str]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
