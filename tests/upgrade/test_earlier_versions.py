"""A database that an earlier version wrote is served before, while and after `db init` runs, and nothing is lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.cli.db import differences, prepare
from app.server import create_app
from app.settings import Settings
from app.store.store import Store, connect
from app.worker.jobs import publish_turn
from tests.graphql_app.client import GraphQL
from tests.http.servers import CHECKOUT
from tests.make import Token
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest
from tests.upgrade import dumps
from tests.upgrade.story import SITE

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z")
SETTINGS = Settings(mongodb_uri="mongodb://given", rate_limit=0, failed_auth_limit=0, log_level="ERROR")
INITS = 3
"""How many run `db init` at once."""


class Earlier:
    """The database of an earlier version, and this version's interfaces on it, with the tokens of then."""

    def __init__(self, path: Path, store: Store, app: Flask) -> None:
        about = dumps.load(store.database, path)
        self.path = path
        self.store, self.app, self.about, self.ids = store, app, about, about["ids"]
        self.rest = Rest(app.test_client(), self.token("editor"))
        self.site = GraphQL(app.test_client(), self.token("site"))
        self.previews = self.site.by(self.token("previews"))
        self.agent = Agent(app.test_client(), self.token("agent"))

    def token(self, name: str) -> Token:
        """Returns a token of then, of which its secret is known."""
        secret = self.about["tokens"][name]
        return Token("", secret, None)  # type: ignore[arg-type]  # callers that hold no more than a secret


@pytest.fixture(params=dumps.DUMPS, ids=lambda path: path.name.partition(".")[0])
def earlier(request: pytest.FixtureRequest, mongodb_uri: str) -> Iterator[Earlier]:
    """The database of each earlier version in turn."""
    store = connect(mongodb_uri, f"test_{uuid4().hex[:16]}")
    yield Earlier(request.param, store, create_app(SETTINGS, store))
    store.database.client.drop_database(store.database.name)
    store.database.client.close()


def test_a_database_of_an_earlier_version_loses_nothing_and_goes_on(earlier: Earlier, mongodb_uri: str) -> None:
    assert lost(earlier) == []

    with Others(earlier) as others:
        several_db_inits(earlier, mongodb_uri)
    assert (others.failures, others.rounds > 0) == ([], True)

    assert differences(earlier.store) == []
    assert lost(earlier) == []
    page = earlier.site.data('{ documentsPage(search: "published") { documents { id } } }')["documentsPage"]
    assert earlier.ids["published"] in [one["id"] for one in page["documents"]]
    goes_on(earlier)


def several_db_inits(earlier: Earlier, uri: str) -> None:
    """Runs `db init` several times at once: in processes on the oldest database, in threads on the others."""
    if earlier.path == dumps.DUMPS[0]:
        command = [sys.executable, "-c", "from app.cli import main; main()", "db", "init"]
        given = {**os.environ, "MONGODB_URI": uri, "MONGODB_DATABASE": earlier.store.database.name}
        inits = [subprocess.Popen(command, cwd=CHECKOUT, env=given, stdout=subprocess.PIPE) for _ in range(INITS)]
        printed = [(one.communicate(timeout=90)[0], one.returncode) for one in inits]
        assert printed == [(b"All indexes and validators are as they should be.\n", 0)] * INITS
        return
    with ThreadPoolExecutor(INITS) as pool:
        assert list(pool.map(prepare, [earlier.store] * INITS)) == [[]] * INITS


class Others:
    """Somebody who plans, claims, writes and publishes in the meantime, and reads it on the site."""

    def __init__(self, earlier: Earlier) -> None:
        self.failures: list[Any] = []
        self.rounds = 0
        self._earlier = earlier
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Others:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                work(self._earlier, f"Round {self.rounds}")
            except (AssertionError, KeyError, TypeError) as failure:
                self.failures.append(repr(failure))
                return
            self.rounds += 1
            self._over.wait(0.02)


def work(earlier: Earlier, title: str) -> None:
    """Takes a document from a draft to the site."""
    rest, agent = earlier.rest, earlier.agent
    draft = done(rest.post("/document-intents", {"title": title, "brief": {"keyword": "rounds"}}))["id"]
    document = done(rest.post(f"/document-intents/{draft}/confirm"))["document"]["id"]
    done(rest.post(f"/documents/{document}/brief/ready"))
    assert document in [one["id"] for one in done(rest.get("/briefs?limit=100"))]
    version = agent.call("claim_brief", documentId=document)["version"]
    agent.call("write_content", documentId=document, markdown="Round.", baseVersion=version)
    agent.call("submit_document", documentId=document)
    assert document in [one["id"] for one in done(rest.get("/documents?status=review&limit=100"))]
    done(rest.post(f"/documents/{document}/publish"))
    slug = done(rest.get(f"/documents/{document}"))["slug"]
    found = earlier.site.data("query($slug: String!) { documentBySlug(slug: $slug) { id } }", {"slug": slug})
    assert found["documentBySlug"] == {"id": document}


def done(answer: TestResponse) -> Any:
    """Returns the body of an answer, which is not a refusal."""
    assert answer.status_code < 300, answer.get_data(as_text=True)
    return answer.json


def lost(earlier: Earlier) -> list[str]:
    """Returns what was answered by the earlier version and is not by this one: keys, values, items of lists."""
    found = [
        problem
        for path, answer in earlier.about["answers"].items()
        for problem in missing(answer, done(earlier.rest.get(path)), path)
    ]
    found += missing(earlier.about["site"], earlier.site.data(SITE), "site")
    drafts = Rest(earlier.rest.client, earlier.token("agent"))
    return [*found, *missing(earlier.about["drafts"], done(drafts.get("/document-intents")), "drafts")]


def missing(old: Any, new: Any, path: str) -> list[str]:
    """Returns where a value differs; new keys, new records in lists, and when something was last used, do not count."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone = [f"{path}: {key} is missing" for key in old.keys() - new.keys()]
        kept = old.keys() & new.keys() - {"lastUsedAt", "cursor"}
        return gone + [problem for key in kept for problem in missing(old[key], new[key], f"{path} {key}")]
    if isinstance(old, list) and isinstance(new, list):
        if ids := {one["id"] for one in old if isinstance(one, dict) and "id" in one}:
            new = [one for one in new if one["id"] in ids]
        if len(old) != len(new):
            return [f"{path}: {len(old)} items are {len(new)}"]
        pairs = enumerate(zip(old, new, strict=True))
        return [problem for place, pair in pairs for problem in missing(*pair, f"{path}[{place}]")]
    if isinstance(old, str) and isinstance(new, str):
        old, new = TIME.sub("<time>", old), TIME.sub("<time>", new)
    return [] if old == new else [f"{path}: {old!r} is {new!r}"]


def goes_on(earlier: Earlier) -> None:
    """Continues with records in every state, over REST, MCP and GraphQL, with the tokens of then."""
    rest, agent, ids = earlier.rest, earlier.agent, earlier.ids

    for replay in earlier.about["replays"]:
        answer = rest.call(replay["method"], replay["path"], replay["body"], Idempotency_Key=replay["key"])
        assert missing(replay["answer"], done(answer), replay["key"]) == []
        assert answer.headers["Idempotency-Replayed"] == "true"
    assert rest.by(earlier.token("revoked")).get("/documents").status_code == 401

    assert agent.call("claim_next_brief")["id"] == ids["lease that ran out"]
    version = agent.call("claim_brief", documentId=ids["ready"], leaseSeconds=60)["version"]
    agent.call("write_content", documentId=ids["ready"], markdown="# Rye", baseVersion=version)
    agent.call("submit_document", documentId=ids["ready"])
    agent.call("renew_claim", documentId=ids["leased"], leaseSeconds=600)
    agent.call("release_brief", documentId=ids["leased"])
    agent.call("withdraw_brief", documentId=ids["claimed"])
    assert agent.call("get_work_packet", documentId=ids["claimed"])["brief"]["keyword"] == "sourdough"
    for name, *steps in (
        ("ready", "approve", "publish"),
        ("drafted", "request-changes"),
        ("in review", "approve", "schedule", "unschedule", "publish"),
        ("changes requested", "submit"),
        ("approved", "publish"),
        ("scheduled", "unschedule", "publish"),
        ("published", "unpublish", "publish"),
        ("published with a draft", "publish"),
        ("live and approved", "publish"),
        ("unpublished", "publish"),
        ("trashed", "restore", "publish"),
        ("trashed while live", "restore"),
        ("restored", "submit"),
        ("idea", "brief/ready", "brief/claim", "brief/withdraw"),
    ):
        for step in steps:
            done(rest.post(f"/documents/{ids[name]}/{step}", BODIES.get(step)))
    done(rest.post(f"/documents/{ids['with versions']}/revisions/1/restore", {"baseVersion": 5}))
    done(rest.patch(f"/categories/{ids['bread']}", {"name": "Breads"}))
    draft = done(rest.get("/document-intents"))[0]["id"]
    done(rest.post(f"/document-intents/{draft}/confirm"))

    publish_turn(earlier.store, done(rest.get("/project"))["id"])
    due = done(rest.get(f"/documents/{ids['schedule that is due']}"))
    assert (due["status"], due["isPublished"]) == ("published", True)
    numbers = [one["sequence"] for one in done(rest.get("/events?limit=1000"))["events"]]
    assert numbers == [*range(1, len(numbers) + 1)]

    shown = earlier.site.data("{ documents(limit: 100) { id category { name } } }")["documents"]
    assert {ids["ready"], ids["trashed while live"], ids["schedule that is due"]} <= {one["id"] for one in shown}
    assert {"name": "Breads"} in [one["category"] for one in shown]
    drafts = "{ documents(limit: 100, includeDrafts: true) { id preview { title } } }"
    assert all(one["preview"]["title"] for one in earlier.previews.data(drafts)["documents"])


BODIES = {
    "request-changes": {"note": "Shorter."},
    "schedule": {"publishAt": "2040-01-01T00:00:00Z"},
}
