"""The servers that are measured: the service as `serve` runs it by default, and the bare floor; and their database."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from app.core.store.indexes import create_indexes
from app.core.store.store import Store
from app.features import connect
from tests.live import free_port, until_listening


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    port: int
    process: int

    def resident_megabytes(self) -> list[float]:
        """Returns the resident memory of each process that serves, where the system tells (Linux)."""
        return self._memory("VmRSS")

    def peak_megabytes(self) -> float:
        """Returns the most memory that a process that serves has had so far."""
        return max(self._memory("VmHWM"), default=0.0)

    def cpu_seconds(self) -> float:
        """Returns the CPU time of all threads of the child processes, where the system tells (Linux)."""
        return sum(cpu_seconds_of(folder.name) for folder in self._folders(""))

    def _memory(self, name: str) -> list[float]:
        files = [folder / "status" for folder in self._folders("spawn_main")]
        found = [re.search(rf"{name}:\s+(\d+) kB", file.read_text()) for file in files if file.exists()]
        return [int(one[1]) / 1024 for one in found if one]

    def _folders(self, arguments: str) -> list[Path]:
        command = ["ps", "-o", "pid=,args=", "--ppid", str(self.process)]
        children = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        return [Path(f"/proc/{line.split()[0]}") for line in children if arguments in line]


def cpu_seconds_of(process: int | str) -> float:
    """Returns the CPU time of a process, of threads that ended too; 0 where the system does not tell."""
    file = Path(f"/proc/{process}/stat")
    times = file.read_text().rpartition(")")[2].split()[11:13] if file.exists() else ()
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def service(environment: Mapping[str, str], workers: int = 1) -> Iterator[Server]:
    """Serves the service with `content-workflow serve`: its worker, authentication, limits and log are on.

    The limit of requests a minute is raised, as one token sends the load of many.
    """
    run = "from app.cli import main; main()"
    command = [sys.executable, "-c", run, "serve", "--workers", str(workers)]
    with _serving(command, {**environment, "RATE_LIMIT_PER_MINUTE": "100000000"}) as server:
        yield server


@contextmanager
def floor(environment: Mapping[str, str]) -> Iterator[Server]:
    """Serves the bare floor under the same server."""
    with served_with_granian("bench.floor:app", environment) as server:
        yield server


@contextmanager
def served_with_granian(
    app: str, environment: Mapping[str, str], python: Path | str = sys.executable
) -> Iterator[Server]:
    """Serves a WSGI application with one process and eight threads; `python` is the one that has its packages."""
    command = [str(python), "-m", "granian", "--interface", "wsgi", "--workers", "1", "--blocking-threads", "8"]
    with _serving([*command, "--no-ws", "--log-level", "critical", app], environment) as server:
        yield server


@contextmanager
def _serving(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Server]:
    port = free_port()
    with Path(os.devnull).open("wb") as log:
        process = subprocess.Popen(
            [*command, "--port", str(port)], env={**os.environ, **environment}, stdout=log, stderr=log
        )
        try:
            until_listening(port, process)
            yield Server(port, process.pid)
        finally:
            process.terminate()
            process.wait(20)


FLOOR_INDEXES = {
    "documents": [("projectId", 1), ("brief.state", 1), ("dueKey", 1), ("createdAt", 1), ("_id", 1)],
    "publications": [("projectId", 1), ("publishedAt", -1), ("_id", 1)],
}
"""The indexes that the floor needs, and no other: each index makes every write of its collection slower."""


def floor_store(uri: str, beside: Store) -> Store:
    """Returns a store on a database for the floor alone, with the indexes that it needs."""
    store = connect(uri, f"{beside.database.name}_floor")
    for collection, keys in FLOOR_INDEXES.items():
        store.database[collection].create_index(keys)
    return store


@contextmanager
def own_store(uri: str) -> Iterator[Store]:
    """Yields a store on a database of its own, which is dropped in the end."""
    store = connect(uri, f"bench_{uuid4().hex[:12]}")
    create_indexes(store.database, store.features.indexes)
    try:
        yield store
    finally:
        for name in (store.database.name, f"{store.database.name}_floor"):
            store.database.client.drop_database(name)
