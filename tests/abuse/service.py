"""The service as an attacker meets it: `content-workflow serve` behind `examples/nginx`, on a mongod of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from app.cli.db import create_missing
from app.core.store.store import Store
from app.features import connect
from tests.live import free_port, program, until_listening
from tests.make import OPERATIONS, Project, a_project

CHECKOUT = Path(__file__).parents[2]
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
"""The folders that nginx writes to."""
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


class Noted(NamedTuple):
    """A request of somebody else: when it began (monotonic clock), its seconds, and what was wrong, if anything."""

    began: float
    seconds: float
    wrong: str | None


@dataclass
class Bystanders:
    """The requests of others, who have a process of their own; known when it has ended."""

    kept: list[Noted] = field(default_factory=list)
    """Of a client with an address and a connection of its own."""
    fresh: list[Noted] = field(default_factory=list)
    """Of a client with another address and a new connection each time."""

    def between(self, begin: float, end: float) -> Bystanders:
        """Returns those that began between two instants of the monotonic clock."""
        kept, fresh = ([one for one in some if begin <= one.began < end] for some in (self.kept, self.fresh))
        return Bystanders(kept, fresh)


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


def p99(requests: list[Noted]) -> float:
    """Returns the 99th percentile of the seconds that requests took; 0 where there are none."""
    seconds = sorted(one.seconds for one in requests)
    return seconds[min(len(seconds) - 1, len(seconds) * 99 // 100)] if seconds else 0.0


class Service:
    """A running service, with a project for the attacker and one for everybody else."""

    def __init__(self, port: int, own_port: int, pid: int, mongod_pid: int, store: Store) -> None:
        self.url, self.port, self.pid, self.mongod_pid, self.store = (
            f"http://127.0.0.1:{port}",
            port,
            pid,
            mongod_pid,
            store,
        )
        self.own_port = own_port
        """The port of the service itself; `url` and `port` are those of nginx."""
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
    def bystanders(self) -> Iterator[Bystanders]:
        """Has another process send `GET /health`, `GET /briefs` and a write of another project inside the block."""
        project = self.new_project()
        token = project.token()
        intent = OPERATIONS["create_document_intent"](project.context(token), fields={"title": "Rye"}).body["id"]
        command = [sys.executable, "-m", "tests.abuse.bystander", str(self.port), token.secret, intent]
        process = subprocess.Popen(command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        requests = Bystanders()
        try:
            yield requests
        finally:
            written, _ = process.communicate(b"", timeout=60)
        noted = json.loads(written)
        requests.kept, requests.fresh = ([Noted(*one) for one in noted[name]] for name in ("kept", "fresh"))

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
    def holds(self, seconds: float = MAX_SECONDS) -> Iterator[Bystanders]:
        """Asserts what "No single client takes it down" promises about everything inside the block.

        Nobody else waits longer than some seconds. Yields what others met meanwhile, to be looked at after the block.
        """
        others = Bystanders()
        with self.bystanders() as requests:
            time.sleep(WARM_UP_SECONDS)
            before = time.monotonic()
            time.sleep(NORMAL_SECONDS)
            began = time.monotonic()
            with self.watched() as watch:
                yield others
            ended = time.monotonic()
            recovery = self.recovers()
        normal, during = requests.between(before, began), requests.between(began, ended)
        others.kept, others.fresh = during.kept, during.fresh
        attack = os.environ["PYTEST_CURRENT_TEST"].partition("::")[2].partition(" (")[0]
        everything = during.kept + during.fresh
        slowest = max((one.seconds for one in everything), default=0.0)
        wrong = [one.wrong for one in everything if one.wrong]
        figures = (p99(normal.kept), p99(during.kept), slowest, watch.server_peak, watch.mongod_growth, recovery)
        FIGURES.append(Figures(attack, len(everything), *figures))
        assert wrong == [], wrong[:5]
        assert slowest < seconds, slowest
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
def behind_nginx(upstream: int) -> Iterator[int]:
    """Yields the port at which nginx, with the example's configuration, stands in front of the service at another."""
    nginx = program("nginx", missing="nginx was not found: no proxy is put before the service. Install nginx-light.")
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        text = (CHECKOUT / "examples" / "nginx" / "nginx.conf").read_text()
        text = text.replace("server service:8000;", f"server 127.0.0.1:{upstream};")
        text = text.replace("listen 8080;", f"listen 127.0.0.1:{port};").replace("worker_processes auto;", "")
        paths = "".join(f"{one}_temp_path {folder}/{one};" for one in TEMPORARY)
        (folder / "nginx.conf").write_text(text.replace("http {", "http {" + paths, 1))
        options = f"daemon off; pid {folder}/pid;" + (" user root;" if os.geteuid() == 0 else "")
        command = [nginx, "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf", "-g", options]
        process = subprocess.Popen(command)
        try:
            until_listening(port, process)
            yield port
        finally:
            process.terminate()
            process.wait(10)


@contextmanager
def serve(mongodb_uri: str, mongod_pid: int, **environment: str) -> Iterator[Service]:
    """Yields a service that runs as `content-workflow serve` starts it, on a database of its own."""
    store = connect(mongodb_uri, f"abuse_{free_port()}")
    create_missing(store)
    port = free_port()
    given = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name, "LOG_LEVEL": "WARNING"}
    given |= {"TRUSTED_PROXIES": "127.0.0.1", **environment}
    command = [Path(sys.executable).with_name("content-workflow"), "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=CHECKOUT, env={**os.environ, **given}, start_new_session=True)
    try:
        until_listening(port, process)
        with behind_nginx(port) as proxy:
            yield Service(proxy, port, process.pid, mongod_pid, store)
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
