"""Servers to measure, each a granian with one worker on a port of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def serving(application: str, environment: Mapping[str, str]) -> Iterator[int]:
    """Yields the port on which a WSGI application, named `module:name`, is served."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--workers", "1", "--blocking-threads", "8"]
    command += ["--port", str(port), "--log-level", "critical", "--no-ws", application]
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError("The server to be measured did not start.")
