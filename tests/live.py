"""The application on a port, for what speaks to a server and not to Flask's test client."""

import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server


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


def slowdown() -> float:
    """Returns how many times as long as its processor time a piece of work takes now, as others use the machine."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.05:
        pass
    return max(1.0, (time.monotonic() - began) / (time.thread_time() - used))


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


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """Yields the address at which threads of this process serve the application."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    server.daemon_threads = True  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
