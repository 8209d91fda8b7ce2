"""The application on a port, for what speaks to a server and not to Flask's test client."""

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from types import MappingProxyType
from typing import Any

import pytest
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server


def program(*names: str, missing: str) -> str:
    """Returns the first of some programs that is installed; without any the test is skipped, and CI has to have one."""
    for name in names:
        if found := shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin"):
            return found
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


def free_port() -> int:
    """Returns a port that nobody listens at, and that the system gives to no other process for a minute.

    It gives no port away on which a connection was closed a moment ago; a server may listen there all the same.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            listener.accept()[0].close()
            client.recv(1)
    return port


def until_listening(port: int, process: subprocess.Popen[bytes]) -> None:
    """Returns when a process listens at a port."""
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"{process.args!r} ended before it listened.")


def until(what: Callable[[], Any], seconds: float = 60, pause: float = 0.01) -> float:
    """Waits for something to be true, with a pause between looks; returns how many seconds it took."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < seconds, "it did not come true"
        time.sleep(pause)
    return time.monotonic() - began


def quickest(run: Callable[[], object], limit: float, clock: Callable[[], float] = time.process_time) -> float:
    """Returns how many seconds a piece of work takes; it is tried three times where others make it exceed the limit.

    They are seconds of a processor that has nothing else to do: see `slowdown`.
    """
    took: list[float] = []
    while len(took) < 3 and min(took, default=limit) >= limit:
        began = clock()
        run()
        took.append((clock() - began) / slowdown(clock))
    return min(took)


FIXED_WORK = 0.055
"""Seconds that the work of `slowdown` takes, on a processor of its own, on the machine of the bounds."""


def slowdown(clock: Callable[[], float] = time.monotonic) -> float:
    """Returns how many times as long as on a processor of its own some counting of words takes now, by a clock.

    Two processes on the two threads of one core take nearly twice as much processor time each, machines differ, and by
    a clock on the wall others take their turns too.
    """
    began, counts = clock(), dict[str, int]()
    for number in range(200_000):
        word = f"w{number % 997}"
        counts[word] = counts.get(word, 0) + len(word)
    return max(1.0, (clock() - began) / FIXED_WORK)


def until_it_lasts(span: timedelta, seconds: float) -> None:
    """Returns when the present hour or day, in UTC, lasts for so many seconds yet, for a test that counts in it."""
    left = span - (datetime.now(UTC) - datetime(2020, 1, 1, tzinfo=UTC)) % span
    if left.total_seconds() < seconds:
        time.sleep(left.total_seconds())


class Quiet(WSGIRequestHandler):
    """Writes no access log."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Says nothing."""


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of a test, and writes no log."""

    def answer(self, body: bytes = b"", status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        """Sends an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def running(server: BaseServer) -> Iterator[None]:
    """Has a server of this process serve until the block ends."""
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def answering(handler: type[Handler]) -> Iterator[str]:
    """Yields the address at which a handler answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def serving(app: Flask, port: int = 0) -> Iterator[str]:
    """Yields the address at which threads of this process serve the application."""
    server = make_server("127.0.0.1", port, app, threaded=True, request_handler=Quiet)
    server.daemon_threads = True  # type: ignore[attr-defined]
    with running(server):
        yield f"http://127.0.0.1:{server.server_port}"
