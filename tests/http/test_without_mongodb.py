"""MongoDB can't be reached: 503 with Retry-After, in time, and nothing is half-written (decisions, section 3)."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from flask import Flask

from app.cli.db import create_missing
from app.cli.mongod import running_mongod
from app.core.errors import ServiceUnavailable
from app.core.store.form import ONE, KnownForm, newest
from app.core.store.store import AccessDenied, NotPrepared, Store
from app.core.worker import Worker, jobs
from app.documents.indexes import SLUGS
from app.features import ServerSettings, connect
from app.migrations import STEPS
from app.rest import health
from tests.live import until
from tests.make import a_project, a_ready_brief, an_app
from tests.rest.client import Rest

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

DEADLINE = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a mongod of this module's own keeps its data."""
    return tmp_path_factory.mktemp("mongod")


@pytest.fixture(scope="module")
def own_store(folder: Path) -> Iterator[Store]:
    """The store of a mongod that may be stopped."""
    with running_mongod(folder) as uri:
        store = connect(uri, "stopped", deadline_seconds=DEADLINE)
        create_missing(store)
        store.database.client.admin.command({"setParameter": 1, "transactionLifetimeLimitSeconds": DEADLINE + 1})
        yield store
        store.database.client.close()


@pytest.fixture(scope="module")
def own_app(own_store: Store) -> Flask:
    """The application on the store that may be stopped."""
    return an_app(own_store, deadline_seconds=DEADLINE)


@contextmanager
def stopped(folder: Path) -> Iterator[None]:
    """Stops the mongod as a network that swallows everything would."""
    process = int((folder / "data" / "mongod.lock").read_text())
    os.kill(process, signal.SIGSTOP)
    until(lambda: all(_is_stopped(thread) for thread in Path(f"/proc/{process}/task").glob("*")))
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def _is_stopped(thread: Path) -> bool:
    """Returns whether a thread has stopped: on a machine with much to do the signal comes some milliseconds later."""
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return True  # it ended before


@pytest.mark.contract("decided-http.ServiceUnavailable")
def test_every_kind_of_request_is_answered_with_503_in_time_while_health_goes_on(
    folder: Path, own_store: Store, own_app: Flask
) -> None:
    project = a_project(own_store)
    rest = Rest(own_app.test_client(), project.token())
    document = a_ready_brief(project.context(rest.token))
    assert rest.get("/briefs").status_code == 200

    with stopped(folder):
        for method, path in (
            ("GET", "/briefs"),
            ("POST", f"/documents/{document['id']}/brief/claim"),
            ("GET", "/ready"),
        ):
            began = time.monotonic()
            answer = rest.call(method, path)
            assert time.monotonic() - began < DEADLINE + 8
            assert (answer.status_code, answer.json["_tag"]) == (503, "ServiceUnavailable")
            assert int(answer.headers["Retry-After"]) > 0
        assert rest.get("/health").json == {"status": "ok"}

    until(lambda: rest.get("/ready").status_code == 200)
    assert rest.get(f"/documents/{document['id']}/brief").json["brief"]["state"] in ("ready", "claimed")


def test_the_log_of_a_worker_has_why_mongodb_was_lost_each_time(
    folder: Path, own_store: Store, logged: pytest.LogCaptureFixture
) -> None:
    host, port = own_store.database.client.address or ("", 0)
    store = connect(
        f"mongodb://{host}:{port}/?replicaSet=dev", "stopped", deadline_seconds=10
    )  # over PyMongo's own time
    worker = Worker(jobs(store, ServerSettings(mongodb_uri="mongodb://given", log_level="CRITICAL"))).start()
    until(lambda: store.ping() is None)

    logged.set_level("INFO", "content_workflow.database")
    for _ in range(2):
        logged.clear()
        with stopped(folder):
            until(lambda: [line for line in logged.records if line.msg == "database unreachable"], seconds=40)
        until(lambda: logged.records[-1].msg == "database reachable again")

    worker.stop()
    store.database.client.close()
    reasons = {line["reason"] for line in map(vars, logged.records) if line["msg"] == "database unreachable"}
    assert reasons == {f"{host}:{port}: timed out"}


def test_the_log_says_why_mongodb_was_lost_and_once_when_it_is_back(
    folder: Path, own_store: Store, logged: pytest.LogCaptureFixture
) -> None:
    host, port = own_store.database.client.address or ("", 0)
    store = connect(f"mongodb://{host}:{port}/?replicaSet=dev", "stopped", deadline_seconds=10)
    client = an_app(store).test_client()
    logging.getLogger("content_workflow").propagate = True
    logged.set_level("INFO", "content_workflow")

    def messages(name: str) -> list[dict[str, object]]:
        return [line for line in map(vars, logged.records) if line["msg"] == name]

    with closing(store.database.client):
        until(lambda: client.get("/ready").status_code == 200)
        with stopped(folder):
            assert {client.get("/ready").status_code for _ in range(2)} == {503}
            assert not messages("database reachable again")
        until(lambda: bool(messages("database reachable again")))
        assert client.get("/ready").status_code == 200

    [line], lost = messages("database reachable again"), messages("database unreachable")
    assert (line["levelname"], len(lost)) == ("INFO", 2)
    assert all("timed out" in str(one["reason"]) for one in lost)
    assert 0 < float(str(line["awaySeconds"])) <= float(str(line["created"])) - float(str(lost[0]["created"])) + 0.1


def test_a_transaction_that_loses_the_primary_after_a_try_says_that_and_blames_no_other_writer(
    folder: Path, own_store: Store
) -> None:
    tries = count()

    def work(store: Store) -> None:
        store.database.feeds.find_one({}, session=store.session)
        if next(tries):
            lost.enter_context(stopped(folder))
        else:
            own_store.database.client.admin.command("killAllSessions", [])
        store.database.feeds.find_one({}, session=store.session)

    with ExitStack() as lost, pytest.raises(ServiceUnavailable) as refused, own_store.deadline():
        own_store.in_transaction(work)

    assert next(tries) == 2
    assert refused.value.message == ServiceUnavailable.message


@pytest.mark.contract("decided-health.prepared")
def test_a_database_without_a_unique_index_or_a_validator_is_not_ready(
    own_store: Store, own_app: Flask, logged: pytest.LogCaptureFixture
) -> None:
    logged.set_level("INFO", "content_workflow.database")
    rest = Rest(own_app.test_client(), a_project(own_store).token())
    answers = {}
    for what, name, take_away in (
        ("index", f"documents.{SLUGS.name}", partial(own_store.database.documents.drop_index, SLUGS.name)),
        ("validator", "categories", partial(own_store.database.command, "collMod", "categories", validator={})),
    ):
        create_missing(own_store)
        take_away()
        health._check_prepared.cache_clear()
        answers[what] = rest.get("/ready")
        assert answers[what].json["message"].endswith("`content-workflow db init` creates them.")
        with pytest.raises(NotPrepared) as refused:
            own_store.check_prepared()
        assert refused.value.reason == f"missing: {name}"
        assert rest.get("/briefs").status_code == 200, "it serves all the same"
    assert "database usable again" not in logged.messages
    create_missing(own_store)

    until(lambda: "database usable again" in logged.messages)
    assert {what: answer.status_code for what, answer in answers.items()} == {"index": 503, "validator": 503}
    assert rest.get("/ready").status_code == 200


def test_the_log_says_when_a_database_of_an_earlier_release_was_migrated(
    own_store: Store, logged: pytest.LogCaptureFixture
) -> None:
    logged.set_level("INFO", "content_workflow.database")
    create_missing(own_store)
    client = an_app(replace(own_store, form=KnownForm())).test_client()
    logging.getLogger("content_workflow").propagate = True
    own_store.database.form.replace_one(ONE, {**ONE, "version": 0}, upsert=True)
    try:
        assert client.get("/ready").status_code == 503
        assert "database usable again" not in logged.messages
    finally:
        own_store.database.form.replace_one(ONE, {**ONE, "version": newest(STEPS)})

    until(lambda: "database usable again" in logged.messages)
    assert client.get("/ready").status_code == 200


@pytest.mark.contract("decided-health.prepared")
def test_a_service_that_may_not_write_is_not_ready(
    own_store: Store, own_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(store: Store) -> None:
        raise AccessDenied

    create_missing(own_store)
    monkeypatch.setattr(Store, "check_writes", denied)
    health._check_prepared.cache_clear()

    assert own_app.test_client().get("/ready").status_code == 503
    health._check_prepared.cache_clear()


def test_a_confirm_that_was_cut_off_at_any_instant_is_done_once_with_its_key(
    folder: Path, own_store: Store, own_app: Flask
) -> None:
    project = a_project(own_store)
    rest = Rest(own_app.test_client(), project.token())
    for number in range(3):
        title = f"Cut off {number}"
        draft = rest.post("/document-intents", {"title": title}).json["id"]
        path, key = f"/document-intents/{draft}/confirm", f"cut-{number}"
        answers: list[int] = []
        asking = threading.Thread(target=lambda: answers.append(rest.post(path, Idempotency_Key=key).status_code))  # noqa: B023
        with stopped(folder) if number == 0 else cut_soon(folder, asking, number):
            if not asking.ident:
                asking.start()
            asking.join()
        assert answers[0] in (201, 503)

        again = rest.post(path, Idempotency_Key=key)
        patience = time.monotonic() + 60
        while again.status_code in (409, 503) and time.monotonic() < patience:
            threading.Event().wait(0.1)  # what was begun is held until MongoDB gives it up
            again = rest.post(path, Idempotency_Key=key)

        assert again.status_code == 201
        assert [str(row["_id"]) for row in own_store.database["documents"].find({"title": title})] == [
            again.json["document"]["id"]
        ]
        assert rest.get(f"/document-intents/{draft}").status_code == 404


@contextmanager
def cut_soon(folder: Path, asking: threading.Thread, milliseconds: int) -> Iterator[None]:
    """Stops the mongod so long after the request began."""
    asking.start()
    threading.Event().wait(milliseconds / 1000)
    with stopped(folder):
        yield
