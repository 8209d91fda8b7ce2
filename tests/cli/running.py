"""Commands that run until a signal ends them, as processes of their own."""

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import orjson

CHECKOUT = Path(__file__).parents[2]
PATIENCE = 90


class Running:
    """A command that runs, its output in a file."""

    def __init__(self, process: subprocess.Popen[bytes], output: Path) -> None:
        self.process = process
        self._output = output

    @property
    def said(self) -> str:
        return self._output.read_text("utf-8")

    @property
    def url(self) -> str:
        """The address that `dev` says it is served at, once it answers."""
        until(lambda: re.search(r"is served at (http\S+)\n", self.said), self)
        found = re.search(r"is served at (http\S+)\n", self.said)
        assert found
        until(lambda: answers(found[1]), self)
        return found[1]

    def secret(self, name: str) -> str:
        """A token that `dev` printed."""
        found = re.search(rf"  {name}=(\S+)", self.said)
        assert found
        return found[1]

    def end(self, sign: signal.Signals) -> int:
        """Sends a signal, and returns the exit code."""
        self.process.send_signal(sign)
        return self.process.wait(PATIENCE)

    def ctrl_c(self) -> int:
        """Interrupts the command and all that runs in its group, as a terminal does, and returns the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(PATIENCE)


@contextmanager
def running(folder: Path, *arguments: str, **environment: str) -> Iterator[Running]:
    """Runs a command in a folder; ends it if it still runs at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if name != "MONGODB_URI"}
    output = folder / f"output-{time.monotonic_ns()}"
    with output.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", "from app.cli import main; main()", *arguments],
            cwd=folder,
            env=inherited | {"PYTHONPATH": str(CHECKOUT), **environment},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    started = Running(process, output)
    try:
        yield started
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(PATIENCE)


def until(come: object, started: Running) -> None:
    """Waits until something is true, and says what the command said if it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not come():  # type: ignore[operator]
        assert started.process.poll() is None, started.said
        assert time.monotonic() < deadline, started.said
        time.sleep(0.05)


def answers(url: str, path: str = "/ready") -> bool:
    """Whether a server is ready there."""
    try:
        return bool(urlopen(f"{url}{path}", timeout=10).status == 200)
    except (URLError, ConnectionError):
        return False


def get(url: str, secret: str) -> object:
    """Returns the JSON that a token gets."""
    with urlopen(Request(url, headers={"Authorization": f"Bearer {secret}"}), timeout=30) as answer:
        return orjson.loads(answer.read())


def mongod_runs(folder: Path) -> bool:
    """Whether a mongod holds the folder's data."""
    with (folder / "data" / "mongod.lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
