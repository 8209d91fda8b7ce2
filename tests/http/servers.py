"""Server processes as they run in production, to be killed and compared."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.live import free_port
from tests.watched import FOLDER, verdict

CHECKOUT = Path(__file__).parents[2]
READY_SECONDS = 60


@dataclass(frozen=True)
class Reply:
    """An answer of a server."""

    status: int
    headers: Message
    body: Any


class ServerProcess:
    """granian with the application, in a process group of its own."""

    def __init__(self, mongodb_uri: str, database: str, target: str = "tests.watched:app", **environment: str) -> None:
        self.port = free_port()
        given = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": database, "LOG_LEVEL": "CRITICAL"}
        given |= {"GRANIAN_BLOCKING_THREADS": "8", **environment}
        granian = [Path(sys.executable).with_name("granian"), "--interface", "wsgi", "--port", str(self.port)]
        self._process = subprocess.Popen(
            [*granian, "--no-log", target],
            cwd=CHECKOUT,
            env={**os.environ, **given},
            start_new_session=True,
        )

    def wait(self) -> ServerProcess:
        """Returns when the server answers."""
        pause = threading.Event()
        for _ in range(READY_SECONDS * 20):
            try:
                if self.call("GET", "/ready").status == 200:
                    return self
            except OSError:
                assert self._process.poll() is None, "the server ended by itself"
                pause.wait(0.05)
        raise AssertionError("the server did not come up")

    def call(self, method: str, path: str, token: str = "", body: Any = None, **headers: str) -> Reply:
        """Sends a request on a connection of its own; a header `If_Match` is `If-Match`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            text = answer.read()
            return Reply(answer.status, answer.headers, json.loads(text) if text else None)
        finally:
            connection.close()

    def kill(self) -> None:
        """Ends the server as a power cut does: at this instant, with no chance to finish anything."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextmanager
def servers(mongodb_uri: str, database: str, **environment: str) -> Iterator[Callable[[], ServerProcess]]:
    """Yields what starts a server; all that were started are gone afterwards, and a router takes what they sent."""
    started: list[ServerProcess] = []
    with TemporaryDirectory() as router_log:

        def start() -> ServerProcess:
            started.append(ServerProcess(mongodb_uri, database, **{FOLDER: router_log, **environment}))
            return started[-1]

        try:
            yield start
        finally:
            for server in started:
                server.kill()
        _, refused = verdict(Path(router_log))
        assert not refused, "A sharded cluster would refuse or scatter this (tests/router.py):\n" + "\n".join(refused)


@contextmanager
def a_server(mongodb_uri: str, database: str, **options: str) -> Iterator[str]:
    """Yields the address of a server that does not limit how often it is called."""
    unlimited = {"RATE_LIMIT_PER_MINUTE": "0", "GRANIAN_BLOCKING_THREADS": "16"}
    with servers(mongodb_uri, database, **unlimited, **options) as start:
        yield f"http://127.0.0.1:{start().wait().port}"
