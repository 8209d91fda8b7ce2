"""Servers to measure, each a granian with one worker on a port of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.live import free_port, until_listening


@contextmanager
def serving(application: str, environment: Mapping[str, str]) -> Iterator[int]:
    """Yields the port on which a WSGI application, named `module:name`, is served."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--workers", "1", "--blocking-threads", "8"]
    command += ["--port", str(port), "--log-level", "critical", "--no-ws", application]
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until_listening(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(10)
