"""Starts the mongod process of a folder, finds it again after its starter was killed, and stops it."""

import fcntl
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO

import click

from app.store.replica_set import NoPrimary, become_primary

_REPLICA_SET = "dev"
_ADDRESS = "127.0.0.1"
_START_SECONDS = 60  # usually takes 1; takes 30 if another server has its old port and never answers
_STOP_SECONDS = 10
_PORT_IN_USE, _DATA_IN_USE = 48, 100  # exit codes of mongod
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


class MongodFailed(click.ClickException):
    """The mongod did not start; the message names its log."""


class MongodProcess:
    """The mongod with its data in `folder`, whichever process started it.

    mongod locks its `mongod.lock` while it runs, and writes its process id there. While the file is locked the id is
    valid; without the lock it may belong to another process by now. The port is recorded beside it.
    """

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._log = folder / "mongod.log"
        self._record = folder / "mongod.pid-port"

    def start(self, program: Path) -> str:
        """Returns the URI of the running mongod, started if it is not running, once it accepts writes."""
        self._data.mkdir(exist_ok=True)
        pid, port = self._recorded()
        if pid is None or pid != self._pid():
            self.stop()  # its port was not recorded, as its starter was killed in between
            port = self._launch(program)
        try:
            become_primary(f"{_ADDRESS}:{port}", _REPLICA_SET, _START_SECONDS)
        except NoPrimary as error:
            raise MongodFailed(f"{error} Its log: {self._log}") from error
        return f"mongodb://{_ADDRESS}:{port}/?replicaSet={_REPLICA_SET}"

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
                self._record.write_text(f"{self._pid()} {port}")
                return port
            if ended.returncode not in (_PORT_IN_USE, _DATA_IN_USE):
                break
            self.stop()
        raise MongodFailed(f"{program} ended with exit code {ended.returncode}. Its log: {self._log}\n{ended.stderr}")

    def _ports(self) -> Iterator[int]:
        """Yields the port of the last start, so that the address stays valid, and then free ports."""
        _, port = self._recorded()
        if port is not None:
            yield port
        while True:
            with socket.socket() as probe:
                probe.bind((_ADDRESS, 0))
                free: int = probe.getsockname()[1]
            yield free

    def _recorded(self) -> tuple[int | None, int | None]:
        try:
            pid, port = self._record.read_text().split()
            return int(pid), int(port)
        except (FileNotFoundError, ValueError):
            return None, None

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
