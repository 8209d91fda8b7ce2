"""A frozen project: only admins write, the worker waits, everything is read as before (decisions, section 13)."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import Context, this_instant
from app.core.vocabulary import Scope, TokenKind
from app.documents import publishing
from app.documents.publishing import publish_due
from app.features import ALL
from app.guards.errors import ProjectFrozen
from app.projects.store import Projects
from tests.documents.steps import NOBODY, a_document_in, make_due, ok, path_of, refused
from tests.graphql_app.client import GraphQL
from tests.make import OPERATIONS, Project
from tests.mcp_tools.client import Agent
from tests.races.crowd import at_once
from tests.rest.client import Rest

NO_ADMIN = (Scope.READ, Scope.WRITE, Scope.PUBLISH)
CLOSED = [operation for operation in ALL.operations if not operation.reads and operation.scope != Scope.ADMIN]


def types_of(project: Project) -> list[str]:
    """Returns the types of the project's own events, in order."""
    row = project.store.database.projects.find_one({"_id": ObjectId(project.id)})
    return [event["type"] for event in row["outbox"]]


@pytest.mark.contract("decided-guards.freeze", "decided-guards.freeze-events")
def test_a_freeze_shows_who_since_when_and_why_until_it_ends(rest: Rest, project: Project) -> None:
    assert ok(rest.get("/project"))["frozen"] is None

    frozen = ok(rest.post("/project/freeze", {"note": "Wrong prices."}))["frozen"]
    again = ok(rest.by(project.token("Another")).post("/project/freeze", {"note": "Wrong names."}))["frozen"]

    assert (frozen["note"], frozen["by"]["name"]) == ("Wrong prices.", "A script")
    assert again == {**frozen, "note": "Wrong names."}
    assert ok(rest.get("/project"))["frozen"] == again
    ok(rest.post("/project/freeze", {"note": "Wrong names."}))  # changes nothing
    assert ok(rest.post("/project/unfreeze"))["frozen"] is None
    assert ok(rest.post("/project/unfreeze"))["frozen"] is None
    assert types_of(project) == ["project.frozen", "project.frozen", "project.unfrozen"]
    assert ok(rest.post("/project/freeze"))["frozen"]["note"] == ""


@pytest.mark.contract("decided-guards.freeze")
def test_the_note_of_a_freeze_has_at_most_500_characters(rest: Rest) -> None:
    refused(rest.post("/project/freeze", {"note": "x" * 501}), "HttpApiDecodeError")


@pytest.mark.contract("decided-guards.freeze-refuses")
@pytest.mark.parametrize("operation", CLOSED, ids=lambda one: one.name)
def test_every_write_without_admin_is_refused_before_anything_else(project: Project, operation) -> None:
    admin = project.context()
    OPERATIONS["freeze_project"](admin, fields={"note": "Wait."})
    frozen = project.store[Projects].settings(project.id)["frozen"]
    token = project.token(scopes=NO_ADMIN)
    ctx = project.context(replace(token, caller=replace(token.caller, project={"frozen": frozen})))

    with pytest.raises(ProjectFrozen) as refusal:
        operation(ctx, *[NOBODY for _ in operation.id_names], fields={})

    assert refusal.value.body().keys() == {"_tag", "message", "note", "at", "by"}


@pytest.mark.contract("decided-guards.freeze-refuses", "decided-guards.freeze-reads")
def test_over_the_interfaces_writes_are_refused_and_reads_and_admins_go_on(app, rest: Rest, project: Project) -> None:
    document = a_document_in(rest, "published")
    ok(rest.post("/project/freeze", {"note": "Wait."}))
    token = project.token(scopes=NO_ADMIN)
    writer, agent = rest.by(token), Agent(app.test_client(), token)

    body = refused(writer.patch(path_of(document), "no object"), "ProjectFrozen")
    assert (body["note"], body["by"]["name"]) == ("Wait.", "A script")
    refused(writer.post("/documents/x/publish"), "ProjectFrozen")
    assert refused(writer.post("/tokens", {}), "Forbidden")
    assert refused(writer.post("/document-intents?dryRun=true", {}), "ProjectFrozen")
    assert agent.refused("claim_next_brief", unknown=1) == body
    for path in ("/project", "/documents", path_of(document), "/briefs", "/events"):
        ok(writer.get(path))
    assert agent.call("get_project")["frozen"]["note"] == "Wait."
    site = GraphQL(app.test_client(), project.token(kind=TokenKind.DELIVERY))
    assert site.data("{ documents { id } }")["documents"] == [{"id": document["id"]}]
    assert ok(rest.patch(path_of(document), {"title": "Wheat"}))["title"] == "Wheat"

    ok(rest.post("/project/unfreeze"))
    ok(writer.by(project.token(scopes=NO_ADMIN)).post("/document-intents", {}), 201)


@pytest.mark.contract("decided-guards.freeze-everywhere")
def test_a_freeze_and_its_end_hold_at_once_on_the_server_that_answers_them(app, rest: Rest, project: Project) -> None:
    token = project.token(scopes=NO_ADMIN)
    writer, agent = rest.by(token), Agent(app.test_client(), project.token(scopes=NO_ADMIN))
    ok(writer.post("/document-intents", {}), 201)
    agent.call("create_document_intent")

    ok(rest.post("/project/freeze", Idempotency_Key="freeze"))
    refused(writer.post("/document-intents", {}), "ProjectFrozen")
    assert agent.refused("create_document_intent")["_tag"] == "ProjectFrozen"

    ok(rest.post("/project/unfreeze"))
    ok(writer.post("/document-intents", {}), 201)
    agent.call("create_document_intent")


@pytest.mark.contract("decided-guards.freeze-refuses")
def test_a_write_that_comes_long_after_its_authentication_looks_again(project: Project) -> None:
    ctx = project.context(project.token(scopes=NO_ADMIN), now=this_instant() - timedelta(seconds=2))
    OPERATIONS["freeze_project"](project.context(), fields={})

    with pytest.raises(ProjectFrozen):
        OPERATIONS["create_document_intent"](ctx, fields={})


@pytest.mark.contract("decided-guards.freeze-refuses")
def test_a_write_that_lost_to_another_looks_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    ctx = project.context(project.token(scopes=NO_ADMIN))
    monkeypatch.setattr("app.intents.operations.guess_slot", lambda token_id: 7)
    OPERATIONS["create_document_intent"](ctx, fields={})
    OPERATIONS["freeze_project"](project.context(), fields={})

    with pytest.raises(ProjectFrozen):
        OPERATIONS["create_document_intent"](ctx, fields={})


@pytest.mark.contract("decided-guards.freeze-worker")
def test_the_worker_publishes_nothing_of_a_frozen_project_and_then_catches_up(rest: Rest, project: Project) -> None:
    document = a_document_in(rest, "scheduled")
    make_due(project.store, document)
    ok(rest.post("/project/freeze"))

    assert list(publish_due(project.store, project.id, this_instant())) == []
    assert ok(rest.get(path_of(document)))["status"] == "scheduled"
    ok(rest.post("/project/unfreeze"))

    assert list(publish_due(project.store, project.id, this_instant())) == [(document["id"], None)]
    assert ok(rest.get(path_of(document)))["status"] == "published"


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-guards.freeze-worker")
def test_nothing_is_published_after_the_answer_to_a_freeze_that_comes_meanwhile(rest: Rest, project: Project) -> None:
    for number in range(12):
        make_due(project.store, a_document_in(rest, "scheduled", title=f"Rye {number}"))

    def published() -> int:
        return project.store.database.documents.count_documents(
            {"projectId": ObjectId(project.id), "isPublished": True}
        )

    def freeze() -> int:
        while not published():
            pass
        ok(rest.post("/project/freeze"))
        return published()

    at_freeze, done = at_once([freeze, lambda: list(publish_due(project.store, project.id, this_instant()))])

    assert 0 < at_freeze == published() == len(done)


@pytest.mark.contract("decided-guards.freeze-worker")
def test_a_publication_that_read_the_project_before_it_was_frozen_is_not_committed(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = a_document_in(rest, "scheduled", title="Rye")
    make_due(project.store, document)
    publish = publishing._publish

    def publish_after_a_freeze(ctx: Context) -> Any:
        if not ctx.store.lost_to_others:
            ok(rest.post("/project/freeze"))
        return publish(ctx)

    monkeypatch.setattr(publishing, "_publish", publish_after_a_freeze)

    assert list(publish_due(project.store, project.id, this_instant())) == []
    assert ok(rest.get(path_of(document)))["status"] == "scheduled"
