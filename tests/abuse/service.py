"""The service as an attacker meets it: `content-workflow serve` with its defaults, on a mongod of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from app.store.indexes import create_indexes
from app.store.store import Store, connect
from tests.live import free_port, until_listening
from tests.make import OPERATIONS, Project, a_project

CHECKOUT = Path(__file__).parents[2]
MIB = 1024 * 1024

MAX_SERVER_BYTES = 400 * MIB
"""What the server process may take under attack."""
MAX_MONGOD_GROWTH_BYTES = 600 * MIB
"""What mongod may take more than before the attack."""
MAX_SECONDS = 1.0
"""How long anybody else waits for an answer during an attack."""
RECOVERY_SECONDS = 5.0
WARM_UP_SECONDS = 0.5
NORMAL_SECONDS = 1.0
"""How long the service is measured before an attack."""

PLAIN: dict[str, Any] = {"timeout": 30, "verify": False, "trust_env": False}
"""How requests are sent: without the certificates of authorities, which take longer to read than most answers."""


@dataclass
class Bystander:
    """Somebody else's requests during an attack: how long each took, and those that were not answered with 200."""

    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def slowest(self) -> float:
        return max(self.seconds, default=0.0)


@dataclass
class Measured:
    """The requests of another process: when each began, its seconds and its status."""

    noted: list[tuple[float, float, int]] = field(default_factory=list)

    def seconds(self, begin: float, end: float) -> list[float]:
        """Returns how long the requests took that began between two instants of the monotonic clock, shortest first."""
        return sorted(seconds for began, seconds, _ in self.noted if begin <= began < end)


@dataclass(frozen=True)
class Figures:
    """What one attack did to everybody else's requests, and to memory; times in seconds."""

    attack: str
    requests: int
    p99_before: float
    p99_during: float
    slowest: float
    server_peak: int
    mongod_growth: int
    recovery: float


FIGURES: list[Figures] = []
"""Of the attacks of this run, in their order."""


def p99(seconds: list[float]) -> float:
    """Returns the 99th percentile of a sorted list; 0 of an empty one."""
    return seconds[min(len(seconds) - 1, len(seconds) * 99 // 100)] if seconds else 0.0


class Service:
    """A running service, with a project for the attacker and one for everybody else."""

    def __init__(self, url: str, port: int, pid: int, mongod_pid: int, store: Store) -> None:
        self.url, self.port, self.pid, self.mongod_pid, self.store = url, port, pid, mongod_pid, store
        self.project = a_project(store)
        self.bystander_token = a_project(store).token().secret

    def new_project(self) -> Project:
        """Returns another project."""
        return a_project(self.store)

    def server_bytes(self) -> int:
        """Returns the resident memory of the largest server process, in bytes."""
        return max(_resident(pid) for pid in _descendants(self.pid))

    def cpu_seconds(self) -> float:
        """Returns the processor seconds that the server processes have used."""
        return sum(_cpu_seconds(pid) for pid in _descendants(self.pid))

    def mongod_bytes(self) -> int:
        """Returns the resident memory of mongod, in bytes."""
        return _resident(self.mongod_pid)

    @contextmanager
    def others(self, pause: float = 0.05) -> Iterator[Bystander]:
        """Sends `GET /health` and another token's `GET /briefs` all the while; each on a connection of its own."""
        bystander, over = Bystander(), threading.Event()

        def ask() -> None:
            while not over.is_set():
                for path, headers in (
                    ("/health", {}),
                    ("/briefs", {"Authorization": f"Bearer {self.bystander_token}"}),
                ):
                    began = time.perf_counter()
                    try:
                        response = httpx.get(self.url + path, headers=headers, **PLAIN)
                        if response.status_code != 200:
                            bystander.failures.append(f"{path}: {response.status_code} {response.text}")
                    except httpx.HTTPError as error:
                        bystander.failures.append(f"{path}: {error!r}")
                    bystander.seconds.append(time.perf_counter() - began)
                over.wait(pause)

        with _meanwhile(ask, over):
            yield bystander

    @contextmanager
    def measured(self) -> Iterator[Measured]:
        """Has another process send `GET /health`, `GET /briefs` and a write of another project inside the block."""
        project = self.new_project()
        token = project.token()
        intent = OPERATIONS["create_document_intent"](project.context(token), fields={"title": "Rye"}).body["id"]
        command = [sys.executable, "-m", "tests.abuse.bystander", str(self.port), token.secret, intent]
        process = subprocess.Popen(command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        requests = Measured()
        try:
            yield requests
        finally:
            written, _ = process.communicate(b"", timeout=60)
        requests.noted += [tuple(one) for one in json.loads(written)]

    @contextmanager
    def watched(self) -> Iterator[Watch]:
        """Notes the highest memory of the server and of mongod inside the block."""
        watch, over = Watch(self.mongod_bytes()), threading.Event()

        def look() -> None:
            while not over.wait(0.05):
                watch.server_peak = max(watch.server_peak, self.server_bytes())
                watch.mongod_peak = max(watch.mongod_peak, self.mongod_bytes())

        with _meanwhile(look, over):
            yield watch

    @contextmanager
    def holds(self) -> Iterator[Bystander]:
        """Asserts what "No single client takes it down" promises about everything inside the block."""
        with self.measured() as requests:
            time.sleep(WARM_UP_SECONDS)
            before = time.monotonic()
            time.sleep(NORMAL_SECONDS)
            began = time.monotonic()
            with self.watched() as watch, self.others() as bystander:
                yield bystander
            ended = time.monotonic()
            recovery = self.recovers()
        normal, during = requests.seconds(before, began), requests.seconds(began, ended)
        attack = os.environ["PYTEST_CURRENT_TEST"].partition("::")[2].partition(" (")[0]
        slowest = max([bystander.slowest, *during])
        figures = (p99(normal), p99(during), slowest, watch.server_peak, watch.mongod_growth, recovery)
        FIGURES.append(Figures(attack, len(during) + len(bystander.seconds), *figures))
        assert bystander.failures == [], bystander.failures[:5]
        assert bystander.slowest < MAX_SECONDS, bystander.slowest
        assert watch.server_peak < MAX_SERVER_BYTES, watch.server_peak
        assert watch.mongod_growth < MAX_MONGOD_GROWTH_BYTES, watch.mongod_growth

    def recovers(self) -> float:
        """Asserts that the service answers as before a few seconds after an attack, and returns how many."""
        ended = time.perf_counter()
        deadline = ended + RECOVERY_SECONDS
        headers = {"Authorization": f"Bearer {self.bystander_token}"}
        seconds = RECOVERY_SECONDS
        while seconds > 0.25 and time.perf_counter() < deadline:
            began = time.perf_counter()
            assert httpx.get(f"{self.url}/briefs", headers=headers, **PLAIN).status_code == 200
            seconds = time.perf_counter() - began
        assert seconds <= 0.25
        return time.perf_counter() - seconds - ended


@dataclass
class Watch:
    """The highest memory met, in bytes."""

    mongod_before: int
    server_peak: int = 0
    mongod_peak: int = 0

    @property
    def mongod_growth(self) -> int:
        return self.mongod_peak - self.mongod_before


@contextmanager
def _meanwhile(run: Callable[[], None], over: threading.Event) -> Iterator[None]:
    """Runs a function in a thread while the block runs; `over` tells it to end."""
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(60)


@contextmanager
def serve(mongodb_uri: str, mongod_pid: int, **environment: str) -> Iterator[Service]:
    """Yields a service that runs as `content-workflow serve` starts it, on a database of its own."""
    store = connect(mongodb_uri, f"abuse_{free_port()}")
    create_indexes(store.database)
    port = free_port()
    given = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name, "LOG_LEVEL": "WARNING", **environment}
    command = [Path(sys.executable).with_name("content-workflow"), "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=CHECKOUT, env={**os.environ, **given}, start_new_session=True)
    try:
        until_listening(port, process)
        yield Service(f"http://127.0.0.1:{port}", port, process.pid, mongod_pid, store)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        store.database.client.drop_database(store.database.name)
        store.database.client.close()


def _resident(pid: int) -> int:
    try:
        found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def _cpu_seconds(pid: int) -> float:
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _descendants(pid: int) -> list[int]:
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found
