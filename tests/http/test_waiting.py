"""Readers of the feed that wait for the next event, on servers as `content-workflow serve` starts them.

(decisions, section 14)
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask

from app.core.concurrency import ConcurrencyLimit
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.http import callers
from app.http.threads import THREADS
from tests.databases import opened
from tests.live import free_port, serving, slowdown, until, until_listening
from tests.make import OPERATIONS, Project, Token, a_document, a_project, a_ready_brief, an_app, an_uncached_app
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

CHECKOUT = Path(__file__).parents[2]
READERS = 50
"""Of each of the two servers."""
MAX_SECONDS = 1.0


store = pytest.fixture(scope="module")(opened)
"""A database of these tests' own: the workers would relay the events of other tests first."""

app = pytest.fixture(scope="module")(an_app)
"""The application on it."""


class Server:
    """`content-workflow serve` with the worker in it."""

    def __init__(self, mongodb_uri: str, database: str) -> None:
        self.port = free_port()
        given = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": database, "LOG_LEVEL": "WARNING"}
        command = [Path(sys.executable).with_name("content-workflow"), "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(command, cwd=CHECKOUT, env={**os.environ, **given})
        self.url = f"http://127.0.0.1:{self.port}"
        limits = httpx.Limits(max_connections=2 * READERS)
        self.client = httpx.Client(base_url=self.url, timeout=90, limits=limits, trust_env=False)

    def get(self, path: str, token: Token) -> httpx.Response:
        return self.client.get(path, headers={"Authorization": f"Bearer {token.secret}"})

    def stop(self) -> None:
        """Ends the server with SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


@contextmanager
def running(mongodb_uri: str, store: Store, number: int) -> Iterator[list[Server]]:
    with ExitStack() as stack:
        servers = []
        for _ in range(number):
            servers.append(Server(mongodb_uri, store.database.name))
            stack.callback(servers[-1].process.wait, 30)
            stack.callback(servers[-1].process.kill)
            stack.callback(servers[-1].client.close)
        for server in servers:
            until_listening(server.port, server.process)
        yield servers


def cursor_of(server: Server, token: Token) -> str:
    """Returns the cursor at the end of the feed, once that holds the token."""
    until(lambda: server.get("/events", token).json()["events"])
    cursor: str = server.get("/events?limit=1000", token).json()["cursor"]
    return cursor


def requests_of(server: Server, token: Token) -> int:
    """Returns how many requests of a token the server has received in this minute, this one included."""
    limit = server.get("/project", token).headers
    most, left = limit["RateLimit-Policy"].split(";")[1], limit["RateLimit"].split(";")[1]
    return int(most.removeprefix("q=")) - int(left.removeprefix("r="))


@pytest.mark.slow
@pytest.mark.contract("decided-waiting.wait")
def test_an_event_reaches_100_waiting_readers_on_two_servers_within_a_second(
    store: Store, project: Project, mongodb_uri: str
) -> None:
    token, other = project.token(), a_project(store).token()
    store[Outboxes].publish_all(project.id)
    with running(mongodb_uri, store, 2) as servers, ThreadPoolExecutor(2 * READERS) as pool:
        path = f"/events?wait=25&after={cursor_of(servers[0], token)}"
        slowest = {"before": _slowest(servers, other)}

        def read(server: Server, path: str = path, token: Token = token) -> tuple[float, Any]:
            page = server.get(path, token)
            return time.monotonic(), page.json()

        began = time.monotonic()  # of another token: an answer that was just received may still count for a token
        at_once = [pool.submit(read, server, "/events?limit=1", other) for server in servers for _ in range(READERS)]
        floor = max(reader.result()[0] for reader in at_once) - began
        waiting = [pool.submit(read, server) for server in servers for _ in range(READERS)]
        time.sleep(1)
        slowest["meanwhile"] = _slowest(servers, other)
        assert [reader.result() for reader in waiting if reader.done()] == []

        a_document(project.context(token), title="Flour")
        made, slow = time.monotonic(), slowdown()
        arrived = [reader.result() for reader in waiting]

    assert all([event["data"]["slug"] for event in page["events"]] == ["flour"] for _, page in arrived)
    within = min(max(MAX_SECONDS * slow, 5 * floor), 15)  # those that nothing wakes are answered after 25 seconds
    assert max(at for at, _ in arrived) - made < within, (floor, slow)
    assert slowest["meanwhile"] < max(0.2, 5 * slowest["before"]), slowest


def _slowest(servers: list[Server], token: Token) -> float:
    """Returns how long the slowest but two of 40 requests took, on a processor of its own."""
    took = []
    for number in range(40):
        began = time.monotonic()
        assert servers[number % 2].get("/briefs", token).status_code == 200
        took.append(time.monotonic() - began)
    return sorted(took)[-3] / slowdown()


def _renames_draft(server: Server, token: Token, draft: str) -> int:
    """Gives a draft the titles 1, 2, 3, …, each on a new connection, until none is accepted.

    Returns the last one that was answered.
    """
    headers = {"Authorization": f"Bearer {token.secret}", "Content-Type": "application/json"}
    for number in count(1):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=90)
        try:
            connection.request("PATCH", f"/document-intents/{draft}", json.dumps({"title": f"{number}"}), headers)
            assert connection.getresponse().status == 200
        except OSError:
            return number - 1
        finally:
            connection.close()
    raise AssertionError


@pytest.mark.slow
def test_a_server_that_is_stopped_answers_readers_that_wait_and_every_write_that_it_began(
    store: Store, project: Project, mongodb_uri: str
) -> None:
    token, writers = project.token(), [project.token() for _ in range(4)]
    begin = OPERATIONS["create_document_intent"]
    drafts = [begin(project.context(writer), fields={}).body["id"] for writer in writers]
    with running(mongodb_uri, store, 1) as [server], ThreadPoolExecutor(24) as pool:
        path = f"/events?wait=25&after={cursor_of(server, token)}"
        before, probes = requests_of(server, token), count(1)
        waiting = [pool.submit(server.get, path, token) for _ in range(20)]
        until(lambda: requests_of(server, token) >= before + 20 + next(probes))
        renaming = [pool.submit(_renames_draft, server, *one) for one in zip(writers, drafts, strict=True)]
        until(lambda: all(requests_of(server, writer) > 2 for writer in writers))

        server.stop()

        answers = [reader.result() for reader in waiting]
        answered = [f"{writer.result()}" for writer in renaming]
    read = OPERATIONS["get_intent"]
    stored = [
        read(project.context(writer), draft).body["fields"]["title"]
        for writer, draft in zip(writers, drafts, strict=True)
    ]
    assert stored == answered, "a write that was not answered was done"
    assert [answer.status_code for answer in answers] == [200] * 20
    assert max(answer.elapsed for answer in answers) < timedelta(seconds=25), "they would wait for so long"
    assert all(answer.json()["events"] == [] for answer in answers)


@pytest.mark.contract("decided-waiting.wait")
def test_without_an_event_the_answer_comes_when_the_time_is_over(rest: Rest, project: Project) -> None:
    project.store[Outboxes].publish_all(project.id)
    cursor = rest.get("/events?limit=1000").json["cursor"]

    for wait, least in (("&wait=1", 1.0), ("&wait=0", 0.0), ("", 0.0)):
        began = time.monotonic()
        assert rest.get(f"/events?after={cursor}{wait}").json == {"events": [], "cursor": cursor}
        assert least <= time.monotonic() - began < 20, "25 seconds are the most"


@pytest.mark.contract("decided-waiting.wait")
def test_a_page_with_events_does_not_wait(rest: Rest, project: Project) -> None:
    project.store[Outboxes].publish_all(project.id)
    began = time.monotonic()

    assert rest.get("/events?wait=25").json["events"]
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("wait", ["-1", "26", "1.5", "x", ""])
def test_a_wait_out_of_range_is_refused(rest: Rest, wait: str) -> None:
    refused = rest.get(f"/events?wait={wait}")

    assert refused.status_code == 400
    assert [issue["path"] for issue in refused.json["issues"]] == ["wait"]


@contextmanager
def reading(
    app: Flask, token: Token, number: int = 1, query: str = "after=latest"
) -> Iterator[list[Future[httpx.Response]]]:
    """Yields readers that wait, each in a thread, on a server in this process."""
    with serving(app) as url, ThreadPoolExecutor(number) as pool:
        headers = {"Authorization": f"Bearer {token.secret}"}
        with httpx.Client(base_url=url, headers=headers, timeout=90, trust_env=False) as client:
            yield [pool.submit(client.get, f"/events?wait=20&{query}") for _ in range(number)]


@pytest.mark.contract("decided-waiting.quarter")
def test_beyond_a_quarter_of_the_threads_readers_are_answered_at_once(
    app: Flask, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callers, "WAITING", ConcurrencyLimit(3, each=3, busy=""))
    token = project.token()
    project.store[Outboxes].publish_all(project.id)

    with reading(app, token, 8) as readers:
        until(lambda: sum(reader.done() for reader in readers) == 5)
        assert all(reader.result().json()["events"] == [] for reader in readers if reader.done())
        a_document(project.context(token))
        project.store[Outboxes].publish_all(project.id)

        assert sum(len(reader.result().json()["events"]) for reader in readers) == 3


def test_a_quarter_of_the_threads_may_wait_and_take_no_place_of_other_requests() -> None:
    waiting, working = callers.WAITING._total, callers.REQUESTS._total

    assert waiting == THREADS // 4
    assert waiting + working < THREADS, "some are left to refuse, and for `/health`"


def test_readers_that_wait_leave_room_for_other_requests_of_their_token(
    app: Flask, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callers, "REQUESTS", ConcurrencyLimit(2, each=2, busy=""))
    waiting = ConcurrencyLimit(3, each=3, busy="")
    monkeypatch.setattr(callers, "WAITING", waiting)
    token = project.token()
    project.store[Outboxes].publish_all(project.id)

    with reading(app, token) as [first], reading(app, token) as [second], reading(app, token) as [third]:
        until(lambda: waiting._held[project.id] == 3)
        assert Rest(app.test_client(), token).get("/briefs").status_code == 200
        a_document(project.context(token))
        project.store[Outboxes].publish_all(project.id)
        assert [len(one.result().json()["events"]) for one in (first, second, third)] == [1] * 3
    assert not waiting._held[project.id]


def test_a_reader_of_one_type_waits_from_now_on_while_others_pass(app: Flask, project: Project) -> None:
    token = project.token()
    a_ready_brief(project.context(token), title="Earlier")
    project.store[Outboxes].publish_all(project.id)

    with reading(app, token, query="after=latest&type=brief.ready") as [reader]:
        until(lambda: callers.WAITING._held[project.id])
        a_document(project.context(token))
        project.store[Outboxes].publish_all(project.id)
        a_ready_brief(project.context(token), title="Later")
        project.store[Outboxes].publish_all(project.id)

        assert [event["data"]["slug"] for event in reader.result().json()["events"]] == ["later"]


def test_a_reader_whose_token_is_revoked_meanwhile_gets_no_event(store: Store, project: Project) -> None:
    owner, token = project.token(), project.token()
    project.store[Outboxes].publish_all(project.id)

    with reading(an_uncached_app(store), token) as [reader]:
        until(lambda: callers.WAITING._held[project.id])
        OPERATIONS["revoke_token"](project.context(owner), token.id)
        project.store[Outboxes].publish_all(project.id)

        assert reader.result().status_code == 401
