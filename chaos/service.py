"""The processes of the service: servers and workers, to be killed and started again; a router judges their commands."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.live import free_port, until
from tests.watched import FOLDER

CHECKOUT = Path(__file__).parents[1]


def router_log(folder: Path) -> Path:
    """Returns the folder for what the router finds in a run."""
    return folder / "router"


class Process:
    """`content-workflow` with a subcommand, its log in a file, and what the router finds in the folder beside it."""

    def __init__(self, arguments: Sequence[str], uri: str, log: Path) -> None:
        self._command = [sys.executable, "-m", "tests.watched", *arguments]
        self._environment = {"MONGODB_URI": uri, "WEBHOOKS_ALLOW_LOCAL": "1", "LOG_LEVEL": "WARNING"}
        self._environment[FOLDER] = str(router_log(log.parent))
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=CHECKOUT,
                env={**os.environ, **self._environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Ends it as a power cut does. Processes below it end by themselves."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Server(Process):
    """`serve`, always at the same port, without a worker."""

    def __init__(self, uri: str, log: Path) -> None:
        self.port = free_port()
        self._has_loaded_mcp = False
        super().__init__(("serve", "--no-worker", "--port", str(self.port)), uri, log)

    def start(self) -> None:
        """Starts it as soon as its port is free, which is when the processes of the one before have ended."""
        until(lambda: self._answers("GET", "/health") is None, 20, 0.05)
        self._has_loaded_mcp = False
        super().start()

    def is_ready(self) -> bool:
        """Does it answer, reach MongoDB, and has it loaded what its first MCP request has to wait for?"""
        self._has_loaded_mcp = self._has_loaded_mcp or self._answers("POST", "/mcp") == 401
        return self._has_loaded_mcp and self._answers("GET", "/ready") == 200

    def _answers(self, method: str, path: str) -> int | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        try:
            connection.request(method, path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


class Worker(Process):
    """`worker`."""

    def __init__(self, uri: str, log: Path) -> None:
        super().__init__(("worker",), uri, log)
