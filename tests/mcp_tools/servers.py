"""Server processes of the whole application, as production runs them, on free ports."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.running import answers
from tests.live import free_port, until

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
        until(lambda: _serves(port, process), DEADLINE, 0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(DEADLINE)


def _serves(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Whether the server answers yet. `httpx.get` would load all certificates anew each time it is asked."""
    if process.poll() is not None:
        raise RuntimeError(f"The server ended with {process.returncode}.")
    return answers(f"http://127.0.0.1:{port}", "/health")
