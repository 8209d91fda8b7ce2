"""Writes of different documents of one project at once: what 1 to 32 callers reach, and how many transactions abort."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import count
from operator import sub
from statistics import median
from typing import Any

import orjson

from app.core.store.store import Store
from bench import seeds
from bench.servers import Server, cpu_seconds_of, service
from tests.make import Project, a_project, made

CALLERS = (1, 2, 4, 8, 32)
CALLS = 160
"""How many documents are created, and published, by all callers of a row together."""
LENGTH = 10_000


@dataclass(frozen=True)
class Row:
    """What a number of callers reach: calls a second, latencies in ms, and transactions aborted for each committed.

    `server_ms` and `database_ms` are the CPU time of a call; MongoDB's is that of the worker's commands too.
    """

    what: str
    callers: int
    per_second: float
    p50: float
    slowest: float
    aborted: float
    server_ms: float
    database_ms: float


def run(uri: str, store: Store) -> Iterator[Row]:
    """Yields a row for each kind of write and number of callers, all into one category of one project."""
    project = a_project(store)
    category = made(project.context(), "category", name="Bread", slug="bread")["id"]
    with service({"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name}) as server:
        for callers in CALLERS:
            documents: list[str] = []
            crowd = [_Caller(server, project.token(f"Writer {callers}-{number}").secret) for number in range(callers)]
            numbers = count()

            def create(caller: _Caller) -> None:
                number = next(numbers)  # noqa: B023
                fields = {"title": f"Loaf {number} of {callers}", "markdown": seeds.text(LENGTH, number)}  # noqa: B023
                draft = caller.post("/document-intents", {**fields, "categoryId": category})
                confirmed = caller.post(f"/document-intents/{draft['id']}/confirm")
                documents.append(confirmed["document"]["id"])  # noqa: B023

            def publish(caller: _Caller) -> None:
                caller.post(f"/documents/{documents.pop()}/publish")  # noqa: B023

            yield _measured("create and confirm, 10 KB", project, server, crowd, create)
            yield _measured("publish, 10 KB", project, server, crowd, publish)


class _Caller:
    """A connection that stays open, with a token of its own."""

    def __init__(self, server: Server, token: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", server.port)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, fields: object = None) -> Any:
        body = None if fields is None else orjson.dumps(fields)
        self._connection.request("POST", path, body, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{path} was answered with {response.status}: {answer[:200]!r}")
        return orjson.loads(answer)


def _measured(
    what: str, project: Project, server: Server, crowd: list[_Caller], call: Callable[[_Caller], None]
) -> Row:
    took: list[float] = []

    def work(caller: _Caller) -> None:
        for _ in range(CALLS // len(crowd)):
            sent = time.perf_counter()
            call(caller)
            took.append(time.perf_counter() - sent)

    before = _spent(project, server)
    with ThreadPoolExecutor(len(crowd)) as threads:
        for done in [threads.submit(work, caller) for caller in crowd]:
            done.result()
    seconds, server_s, database_s, committed, aborted = map(sub, _spent(project, server), before)
    calls = len(took)
    speed = (calls / seconds, 1000 * median(took), 1000 * max(took), aborted / max(1, committed))
    return Row(what, len(crowd), *speed, 1000 * server_s / calls, 1000 * database_s / calls)


def _spent(project: Project, server: Server) -> tuple[float, ...]:
    """Returns the time, the CPU time of the server and of MongoDB, and how many transactions committed and aborted."""
    status = project.store.database.client.admin.command("serverStatus")
    transactions = status["transactions"]
    cpu = server.cpu_seconds(), cpu_seconds_of(status["pid"])
    return time.perf_counter(), *cpu, transactions["totalCommitted"], transactions["totalAborted"]
