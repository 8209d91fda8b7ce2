"""A server that is killed between commit and answer: the retry gets the one record (decisions, section 3)."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from app.cli.db import create_missing
from app.core.store.store import Store
from app.features import connect
from tests.http.servers import Reply, ServerProcess, servers
from tests.make import OPERATIONS, Project, Token, a_project
from tests.mongod import quick_mongod

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

AT_ONCE = 10
INSTANTS = 30
ROUNDS_AT_MOST = 25
PATIENCE = 90.0
LIFETIME = 3
"""Of a transaction, in seconds; the mongod's own default would have each retry wait for a quarter of a minute."""


@dataclass
class Confirm:
    """One confirm that a client wants done, whatever happens."""

    intent_id: str
    title: str
    token: Token
    first: Reply | None = None

    def ask(self, server: ServerProcess) -> Reply:
        """Asks with the key of this confirm."""
        path = f"/document-intents/{self.intent_id}/confirm"
        return server.call("POST", path, self.token.secret, Idempotency_Key=f"confirm {self.title}".replace(" ", "-"))

    def ask_a_dying_server(self, server: ServerProcess) -> None:
        """Notes the answer, if there is one."""
        try:
            self.first = self.ask(server)
        except (OSError, HTTPException):
            self.first = None

    def ask_until_done(self, server: ServerProcess) -> Reply:
        """Asks again until it is done: what the killed server had begun may have to time out first."""
        deadline, pause = time.monotonic() + PATIENCE, threading.Event()
        while True:
            reply = self.ask(server)
            if reply.status == 201 or time.monotonic() > deadline:
                return reply
            assert reply.status in (409, 503), reply.body
            pause.wait(0.1)


@pytest.fixture
def own_mongodb_uri(tmp_path: Path) -> Iterator[str]:
    """A mongod of this test's own, which soon gives up what a killed server had begun."""
    with quick_mongod(tmp_path) as uri:
        with MongoClient[dict[str, Any]](uri) as client:
            client.admin.command({"setParameter": 1, "transactionLifetimeLimitSeconds": LIFETIME})
        yield uri


def test_a_confirm_is_done_once_whenever_the_server_is_killed(own_mongodb_uri: str) -> None:
    store = connect(own_mongodb_uri)
    create_missing(store)
    project, told = a_project(store), Counter[str]()
    token = project.token()
    with servers(own_mongodb_uri, store.database.name) as start:
        server, spare = start().wait(), start()
        took = seconds_of([a_confirm(project, token, f"{project.id} warm {n}") for n in range(AT_ONCE)], server)
        for number in range(ROUNDS_AT_MOST):
            if told.total() >= INSTANTS and set(told) >= {"lost after commit", "lost before commit"}:
                break
            confirms = [a_confirm(project, token, f"{project.id} {number} {n}") for n in range(AT_ONCE)]
            killer = threading.Thread(target=kill, args=[server, confirms, store, took if number % 2 else None])
            killer.start()
            together(confirms, server)
            killer.join()
            server, spare = spare.wait(), start()
            told.update(what_became_of(confirm, server, store) for confirm in confirms)
    store.database.client.close()
    assert told.total() >= INSTANTS
    assert told["lost after commit"], "no server was killed between commit and answer"
    assert told["lost before commit"], "no server was killed before its commit"


def what_became_of(confirm: Confirm, server: ServerProcess, store: Store) -> str:
    """Asks again with the same key, and fails unless there is exactly one record, the one that was told first."""
    again = confirm.ask_until_done(server)
    assert again.status == 201, again.body
    assert ids_of(store, confirm.title) == [again.body["document"]["id"]]
    replayed = again.headers["Idempotency-Replayed"] == "true"
    if confirm.first is None:
        return "lost after commit" if replayed else "lost before commit"
    assert replayed
    assert again.body == confirm.first.body
    return "answered"


def a_confirm(project: Project, token: Token, title: str) -> Confirm:
    """Begins a draft that is to be confirmed."""
    draft = OPERATIONS["create_document_intent"](project.context(token), fields={"title": title}).body
    return Confirm(draft["id"], title, token)


def kill(server: ServerProcess, confirms: list[Confirm], store: Store, within: float | None) -> None:
    """Kills it at some instant of so many seconds, or where none are given, as soon as one of these is committed.

    Seconds after the start most confirms are not committed yet; right after a commit, its answer is still to be sent.
    """
    if within is not None:
        time.sleep(random.uniform(0, within))
    else:
        titles, deadline = [confirm.title for confirm in confirms], time.monotonic() + PATIENCE
        while not store.database["documents"].count_documents({"title": {"$in": titles}}):
            assert time.monotonic() < deadline, "nothing was committed"
    server.kill()


def together(confirms: list[Confirm], server: ServerProcess) -> None:
    """Asks for all at once."""
    threads = [threading.Thread(target=confirm.ask_a_dying_server, args=[server]) for confirm in confirms]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def seconds_of(confirms: list[Confirm], server: ServerProcess) -> float:
    """Returns how long so many at once take on a server that lives."""
    began = time.monotonic()
    together(confirms, server)
    return time.monotonic() - began


def ids_of(store: Store, title: str) -> list[str]:
    """Returns the ids of all documents of a title."""
    return [str(row["_id"]) for row in store.database["documents"].find({"title": title})]
