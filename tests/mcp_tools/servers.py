"""Server processes of the whole application, as production runs them, on free ports."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.live import free_port

CHECKOUT = Path(__file__).parents[2]

DEADLINE = 60.0


@contextmanager
def a_server(mongodb_uri: str, database: str, *, target: str = "wsgi:app", **environment: str) -> Iterator[str]:
    """Runs one server process and gives its address; it is stopped at the end."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--blocking-threads", "16", "--no-access-log", "--log-level", "warning", target]
    settings = {
        "MONGODB_URI": mongodb_uri,
        "MONGODB_DATABASE": database,
        "LOG_LEVEL": "ERROR",
        "RATE_LIMIT_PER_MINUTE": "0",
        **environment,
    }
    process = subprocess.Popen(command, cwd=CHECKOUT, env={**os.environ, **settings})
    try:
        _wait(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(DEADLINE)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with {process.returncode}.")
        try:
            if httpx.get(url, timeout=1).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError("The server did not answer in time.")
