"""The worker: events within a second, what is due published once, lost claims written down, and a clean end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId
from prometheus_client import REGISTRY

from app.briefs.jobs import expire_claims
from app.briefs.operations import end_expired_claim
from app.cli.db import create_missing
from app.core import worker
from app.core.context import Context, this_instant
from app.core.errors import ServiceUnavailable, WriteConflict
from app.core.operation import Result
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.times import read_time, wire_time
from app.core.worker import ProjectByProject, Worker, jobs
from app.documents import publishing
from app.documents import store as stored_documents
from app.documents.indexes import SLUGS
from app.documents.jobs import publish_turn
from app.documents.store import Documents
from app.events import store as events
from app.events.jobs import trim_feeds
from app.events.store import Events
from app.features import ServerSettings
from app.provenance import operations as provenance
from app.provenance.jobs import attribute_texts
from tests.live import slowdown, until
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

BEST_OF = 3
"""How often a time is taken: the machine may be busy with something else."""

SETTINGS = ServerSettings(mongodb_uri="mongodb://given", log_level="CRITICAL")


@pytest.fixture
def workers(store: Store) -> Iterator[list[Worker]]:
    """Three workers at work."""
    running = [Worker(jobs(store, SETTINGS)).start() for _ in range(3)]
    yield running
    for one in running:
        one.stop()


def test_an_event_is_in_the_feed_within_a_second(rest: Rest, project: Project, workers: list[Worker]) -> None:
    def seen(document: dict[str, Any]) -> Callable[[], bool]:
        return lambda: document["id"] in rest.get("/events").text

    took = []
    for number in range(BEST_OF):
        document = a_document(project.context(rest.token), title=f"Document {number}")
        took.append(until(seen(document)) / slowdown())

    assert min(took) < 1.0


def scheduled(project: Project, rest: Rest, at: datetime, **fields: Any) -> dict[str, Any]:
    """Makes a document that is scheduled, though its time is in the past by now."""
    document = a_document(project.context(rest.token), markdown="# Flour", **fields)
    answer = rest.post(
        f"/documents/{document['id']}/schedule", {"publishAt": wire_time(this_instant() + timedelta(hours=1))}
    )
    assert answer.status_code == 200, answer.json
    project.store.database.documents.update_one({"_id": ObjectId(document["id"])}, {"$set": {"publishAt": at}})
    return document


def record(rest: Rest, document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = rest.get(f"/documents/{document['id']}").json
    return found


def status_of(rest: Rest, document: dict[str, Any]) -> str:
    return str(record(rest, document)["status"])


def events_of(rest: Rest, document: dict[str, Any]) -> list[str]:
    return [item["type"] for item in rest.get(f"/documents/{document['id']}/activity").json]


@pytest.mark.contract("decided-running.due")
@pytest.mark.race
def test_three_workers_publish_what_is_due_once_and_within_two_seconds(
    rest: Rest, project: Project, workers: list[Worker]
) -> None:
    late = []
    for round_ in range(BEST_OF):
        due = this_instant() + timedelta(seconds=1)
        documents = [scheduled(project, rest, due, title=f"Document {round_}.{number}") for number in range(4)]
        until(lambda those=documents: all(status_of(rest, one) == "published" for one in those))
        for document in documents:
            assert events_of(rest, document).count("document.published") == 1
        published = [read_time(record(rest, one)["publishedAt"]) for one in documents]
        assert min(published) >= due
        late.append(max(published) - due)

    assert min(late) < timedelta(seconds=2)


@pytest.mark.contract("decided-running.due")
def test_after_an_outage_a_worker_catches_up(rest: Rest, project: Project, store: Store) -> None:
    document = scheduled(project, rest, this_instant() - timedelta(days=2))
    worker = Worker(jobs(store, SETTINGS)).start()

    until(lambda: rest.get(f"/documents/{document['id']}").json["status"] == "published")
    until(lambda: "document.published" in [event["type"] for event in rest.get("/events").json["events"]])
    worker.stop()


@pytest.mark.contract("decided-briefs.ended-by-worker", "decided-events.expired")
def test_a_claim_whose_lease_ran_out_is_ended_once_with_its_event(rest: Rest, project: Project, store: Store) -> None:
    document = a_ready_brief(project.context(rest.token))
    rest.post(f"/documents/{document['id']}/brief/claim", {"leaseSeconds": 60})
    past = {"brief.claimExpiresAt": this_instant() - timedelta(seconds=1)}
    store.database.documents.update_one({"_id": ObjectId(document["id"])}, {"$set": past})
    assert expire_claims(store, ProjectByProject("expire claims")) is True
    assert expire_claims(store, ProjectByProject("expire claims")) is False

    assert events_of(rest, document)[:2] == ["brief.expired", "brief.claimed"]
    after = rest.get(f"/documents/{document['id']}").json
    assert (after["brief"]["state"], after["brief"]["claimedBy"]) == ("ready", None)


@pytest.mark.contract("decided-briefs.ended-by-worker")
def test_claims_are_ended_soon_after_their_lease_ran_out(store: Store) -> None:
    [job] = [job for job in jobs(store, SETTINGS) if job.name == "expire claims"]

    assert job.pause_seconds <= 1, "it takes half of that in the median, and what a run takes"


@pytest.mark.contract("decided-briefs.until-ended")
def test_a_claim_that_is_renewed_before_the_worker_writes_goes_on(rest: Rest, project: Project, store: Store) -> None:
    past = project.context(rest.token, now=this_instant() - timedelta(hours=1))
    document = a_ready_brief(past)
    OPERATIONS["claim_brief"](past, document["id"], fields={"leaseSeconds": 60})
    [expired] = store[Documents].find_expired(project.id, this_instant())
    renewed = rest.post(f"/documents/{document['id']}/brief/renew").json

    with pytest.raises(WriteConflict):
        end_expired_claim(project.context(), expired)

    assert rest.get(f"/documents/{document['id']}").json == renewed


def test_a_claim_without_a_lease_or_with_time_left_is_left_alone(rest: Rest, project: Project, store: Store) -> None:
    for body in ({}, {"leaseSeconds": 60}):
        document = a_ready_brief(project.context(rest.token), title=f"Claimed with {body}")
        rest.post(f"/documents/{document['id']}/brief/claim", body)

    assert expire_claims(store, ProjectByProject("expire claims")) is False


def test_a_feed_that_fails_is_logged_and_holds_up_no_other(
    fresh_store: Store, logged: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = sorted((a_project(fresh_store) for _ in range(2)), key=lambda project: project.id)
    for project in (broken, whole):
        a_document(project.context())
        fresh_store[Outboxes].publish_all(project.id)
        a_document(project.context(), title="Another")
    fresh_store.database.feeds.delete_one({"_id": ObjectId(broken.id)})  # as after a restore of some collections
    monkeypatch.setattr(worker, "FAILURE_PAUSE_SECONDS", 3600)
    before = fresh_store[Events].last(whole.id)
    [relay] = [job for job in jobs(fresh_store, SETTINGS) if job.name == "relay events"]

    for _ in range(3):
        relay.run()

    assert fresh_store[Events].last(whole.id) > before
    [line] = [vars(record) for record in logged.records if record.levelname == "WARNING"]
    assert REGISTRY.get_sample_value("content_workflow_job_projects_waiting", {"job_name": "relay events"}) == 1
    assert (line["msg"], line["job"], line["projectId"]) == ("write conflict", "relay events", broken.id)
    assert "projectId_sequence" in line["reason"]


def test_many_expired_claims_of_a_project_hold_up_no_other(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    many, few = (a_project(fresh_store) for _ in range(2))
    for project, documents in ((many, 3), (few, 1)):
        ctx = project.context(project.token())
        for number in range(documents):
            document = a_ready_brief(ctx, title=f"Claimed {number}")
            OPERATIONS["claim_brief"](ctx, document["id"], fields={"leaseSeconds": 60})
    past = this_instant() - timedelta(seconds=1)
    for project, at in ((many, past - timedelta(hours=1)), (few, past)):
        claims = {"projectId": ObjectId(project.id)}
        fresh_store.database.documents.update_many(claims, {"$set": {"brief.claimExpiresAt": at}})
    monkeypatch.setattr(stored_documents, "EXPIRED_AT_ONCE", 1)

    expire_claims(fresh_store, ProjectByProject("expire claims"))

    ready = fresh_store.database.documents.find({"brief.state": "ready"})
    assert sorted(str(row["projectId"]) for row in ready) == sorted([many.id, few.id])


def test_what_was_published_before_an_error_is_logged(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch, logged: pytest.LogCaptureFixture
) -> None:
    published = iter([Result({"reason": None}), Result({"reason": "The slug is taken."})])

    def publish_one(_ctx: Context, _document_id: str) -> Result:
        try:
            return next(published)
        except StopIteration:
            raise ServiceUnavailable() from None

    project = a_project(fresh_store)
    documents = [a_document(project.context(), title=title)["id"] for title in ("First", "Second", "Third")]
    monkeypatch.setattr(fresh_store[Documents], "find_due", lambda *_: documents)
    monkeypatch.setattr(publishing, "publish_scheduled", publish_one)
    logged.set_level("INFO", "content_workflow.worker")

    with pytest.raises(ServiceUnavailable):
        publish_turn(fresh_store, project.id)

    assert [(line.levelname, line.message, vars(line)["documentId"]) for line in logged.records] == [
        ("INFO", "scheduled document published", documents[0]),
        ("WARNING", "scheduled document not published", documents[1]),
    ]


def test_an_index_that_is_lost_is_logged_though_nobody_asks_whether_the_server_is_ready(
    fresh_store: Store, logged: pytest.LogCaptureFixture
) -> None:
    create_missing(fresh_store)
    fresh_store.database.documents.drop_index(SLUGS.name)
    (check,) = [job for job in jobs(fresh_store, SETTINGS) if job.name == "check the database"]
    check.run()  # without projects, whose first one creates it
    a_project(fresh_store)
    running = Worker([check]).start()

    until(lambda: bool(logged.records))
    unusable = REGISTRY.get_sample_value("content_workflow_database_unusable")
    create_missing(fresh_store)
    until(lambda: REGISTRY.get_sample_value("content_workflow_database_unusable") == 0)
    running.stop()

    [line] = logged.records
    assert (line.levelname, vars(line)["reason"]) == ("ERROR", f"missing: documents.{SLUGS.name}")
    assert unusable == 1


def test_a_lost_index_that_only_makes_queries_fast_is_logged_while_the_database_counts_as_usable(
    fresh_store: Store, logged: pytest.LogCaptureFixture
) -> None:
    create_missing(fresh_store)
    a_project(fresh_store)
    fresh_store.database.documents.drop_index("projectId_publishAt")
    (check,) = [job for job in jobs(fresh_store, SETTINGS) if job.name == "check the database"]
    check.run()
    create_missing(fresh_store)
    check.run()

    [line] = logged.records
    assert (line.levelname, line.msg) == ("WARNING", "database differs")
    assert vars(line)["missing"] == ["documents.projectId_publishAt"]
    assert REGISTRY.get_sample_value("content_workflow_database_unusable") == 0


def attributed(store: Store, project: Project) -> list[bool]:
    """Returns whether the origins of each text of a project are stored."""
    rows = store.database.bodies.find({"projectId": ObjectId(project.id)}, sort=[("_id", 1)])
    return [row.get("origins") is not None for row in rows]


def test_who_wrote_new_texts_is_computed_from_their_events_once(fresh_store: Store) -> None:
    project = a_project(fresh_store)
    ctx, projects = project.context(project.token()), ProjectByProject("attribute texts")
    document = a_document(ctx, title="Rye", markdown="Flour.")
    a_document(ctx, title="Empty")
    assert not attribute_texts(fresh_store, projects)
    fresh_store[Outboxes].publish_all(project.id)
    assert attributed(fresh_store, project) == [False]

    attribute_texts(fresh_store, projects)

    assert attributed(fresh_store, project) == [True]
    for version, markdown in enumerate(("Flour.\n\nWater.", "Water."), 1):
        OPERATIONS["write_content"](ctx, document["id"], fields={"markdown": markdown, "baseVersion": version})
    fresh_store[Outboxes].publish_all(project.id)
    attribute_texts(fresh_store, projects)
    assert attributed(fresh_store, project) == [True] * 3
    found = OPERATIONS["get_provenance"](ctx, document["id"], fields={}).body["paragraphs"]
    assert [[by["version"] for by in one["by"]] for one in found] == [[2]]


def test_the_texts_of_a_project_are_attributed_a_turn_at_a_time_and_hold_up_no_other(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, few = sorted((a_project(fresh_store) for _ in range(2)), key=lambda project: project.id)
    for project, documents in ((many, 3), (few, 1)):
        ctx = project.context(project.token())
        for number in range(documents):
            a_document(ctx, title=f"Document {number}", markdown="Flour.")
        fresh_store[Outboxes].publish_all(project.id)
    monkeypatch.setattr(provenance, "TURN_SECONDS", 0)
    projects, turns = ProjectByProject("attribute texts"), []

    while attribute_texts(fresh_store, projects):
        turns.append((sum(attributed(fresh_store, many)), sum(attributed(fresh_store, few))))

    assert turns[:3] == [(1, 1), (2, 1), (3, 1)]


def test_events_of_documents_that_are_gone_do_not_keep_the_texts_of_others_from_being_attributed(
    fresh_store: Store,
) -> None:
    project = a_project(fresh_store)
    gone, there = (a_document(project.context(), title=title, markdown="Flour.") for title in ("Gone", "There"))
    fresh_store[Outboxes].publish_all(project.id)
    fresh_store.database.documents.delete_one({"_id": ObjectId(gone["id"])})

    attribute_texts(fresh_store, ProjectByProject("attribute texts"))

    assert attributed(fresh_store, project) == [False, True]
    assert there["title"] == "There"


def test_a_large_feed_is_trimmed_a_batch_at_a_time_and_holds_up_no_other(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    large, small = sorted((a_project(fresh_store) for _ in range(2)), key=lambda project: project.id)
    for project, documents in ((large, 3), (small, 1)):
        for number in range(documents):
            a_document(project.context(), title=f"Document {number}")
        fresh_store[Outboxes].publish_all(project.id)
    monkeypatch.setattr(events, "TRIM_BATCH", 1)
    trim, turns = fresh_store[Events].trim, []

    def trim_and_note(project_id: str, before: datetime) -> int:
        turns.append(project_id)
        return trim(project_id, before)

    monkeypatch.setattr(fresh_store[Events], "trim", trim_and_note)

    trimming = (ProjectByProject("trim feeds"), timedelta(0))
    while trim_feeds(fresh_store, *trimming):
        pass

    waiting = REGISTRY.get_sample_value("content_workflow_job_projects_waiting", {"job_name": "trim feeds"})
    assert waiting is None, "every project has a feed, and none waits"
    assert set(turns[:2]) == set(turns[2:4]) == {large.id, small.id}
    for project in (large, small):
        assert fresh_store[Events].page(project.id, None, 100) == ([], fresh_store[Events].last(project.id))


@pytest.mark.slow
def test_the_command_says_what_it_does_in_json_and_ends_cleanly(fresh_store: Store, mongodb_uri: str) -> None:
    project = a_project(fresh_store)
    environment = {**os.environ, "MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
    command = [sys.executable, "-c", "from app.cli import main; main()", "worker"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        document = a_document(project.context())
        OPERATIONS["mark_brief_ready"](project.context(), document["id"])
        try:
            until(lambda: fresh_store[Events].last(project.id) >= 2)
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        lines = [json.loads(line) for line in process.stderr.read().splitlines()]

    assert process.returncode == 0
    assert [line["message"] for line in lines][0] == "worker started"
    assert (lines[-1]["message"], lines[-1]["unfinished"]) == ("worker stopped", [])
    assert {line["projectId"] for line in lines if line["message"] == "events relayed"} == {project.id}
