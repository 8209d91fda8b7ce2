"""What a document's actions say is what happens when each operation is called (decisions, section 11)."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest
from bson import ObjectId

from app.actions.operations import document_operations
from app.core.context import Context
from app.core.errors import Refusal
from app.core.times import wire_time
from app.core.vocabulary import BriefState, Channel, DocumentStatus, Scope
from app.documents.record import NO_CLAIM
from app.features import ALL
from app.guards.budgets import Budget
from app.sections.rules import hash_of
from tests.documents.states import NOW
from tests.documents.steps import NOBODY, a_document, claimed, ok, path_of
from tests.make import OPERATIONS, Project, Token, made
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

TEXT = "Rye is sour.\n"
WRITERS = frozenset({Scope.READ, Scope.WRITE})
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "review required": {"reviewRequired": True},
    "four eyes": {"fourEyes": True},
    "checks": {"checks": {"meta_title": "error"}},
}
THREADS: list[dict[str, Any]] = [
    {},
    {"unresolvedThreads": 1, "mustThreads": {NOBODY: "open"}},
    {"unresolvedThreads": 1, "mustThreads": {NOBODY: "answered"}},
    {"unresolvedThreads": 200},
]
COMBINATIONS = 25
"""How many states, tokens and interfaces are drawn for each of the settings."""

FIELDS: dict[str, dict[str, Any]] = {
    "replace_brief": {"audience": "bakers of rye"},
    "update_brief": {"audience": "bakers of spelt"},
    "claim_brief": {"leaseSeconds": 600},
    "renew_claim": {"leaseSeconds": 900},
    "update_document": {"dueDate": "2099-01-08"},
    "write_content": {"markdown": "Rye is light.", "baseVersion": 2},
    "add_source": {"title": "Wild yeast"},
    "open_thread": {"text": "Which rye?", "level": "must"},
    "request_changes": {"note": "Shorter."},
    "schedule_document": {"publishAt": wire_time(NOW + timedelta(hours=1))},
    "restore_revision": {"baseVersion": 2},
}
"""A valid body for each operation that takes one, which changes something."""


def valid_call(name: str, document: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Returns the ids and the fields of a valid call of an operation."""
    ids = [str(document["_id"]), *(["1"] if name == "restore_revision" else [])]
    if name == "edit_content":
        section = hash_of(TEXT if document["contentId"] else "")
        return ids, {"edits": [{"hash": section, "markdown": "Rye is light."}]}
    return ids, FIELDS.get(name, {})


def tokens_of(project: Project) -> dict[str, Token]:
    return {
        "maker": project.token("Maker", scopes=Scope),
        "editor": project.token("Editor", scopes=Scope),
        "holder": project.token("Holder", agent="writer-1", scopes=Scope),
        "writer": project.token("Writer", agent="writer-2", scopes=WRITERS),
        "same agent": project.token("Other", agent="maker-1", scopes=Scope),
        "reader": project.token("Reader", scopes=[Scope.READ]),
        "spent": a_spent_token(project, {"writesPerHour": 1, "publishesPerDay": None}),
        "thrifty": a_spent_token(project, {"writesPerHour": 1_000, "publishesPerDay": 1}),
    }


def a_spent_token(project: Project, budget: Budget) -> Token:
    """Makes a token with a budget, and lets it create a document draft, which counts."""
    token = project.token("Thrifty", scopes=Scope, budget=budget)
    token = replace(token, caller=replace(token.caller, token={"budget": budget}))
    OPERATIONS["create_document_intent"](project.context(token, now=NOW), fields={})
    return token


def a_written_document(ctx: Context) -> dict[str, Any]:
    """Makes a document with two versions that is published, and returns its stored record."""
    record = made(ctx, "document", title="Rye", markdown="Rye.", brief={"keyword": "rye"})
    OPERATIONS["write_content"](ctx, record["id"], fields={"markdown": TEXT, "baseVersion": 1})
    OPERATIONS["publish_document"](ctx, record["id"], fields={})
    stored: dict[str, Any] = ctx.store.database.documents.find_one({"_id": ObjectId(record["id"])})
    return stored


def in_some_state(draw: random.Random, published: dict[str, Any], holder: Token, maker: Token) -> dict[str, Any]:
    """Returns the stored record of the document in a state drawn at random."""
    status = draw.choice(list(DocumentStatus))
    live, changed = draw.choice([(False, False), (True, False), (True, True)])
    claim = {"claimedBy": holder.caller.actor, "claimedAt": NOW - timedelta(hours=1)}
    expires = {"claimed": None, "leased": NOW + timedelta(seconds=1), "expired": NOW}
    brief = draw.choice(["unwritten", "none", "ready", "drafted", *expires])
    briefs = {
        "unwritten": None,
        **{str(state): {"state": str(state), **NO_CLAIM} for state in BriefState},
        **{name: {"state": "claimed", **claim, "claimExpiresAt": at} for name, at in expires.items()},
    }
    before = draw.choice([DocumentStatus.DRAFTING, DocumentStatus.APPROVED, DocumentStatus.PUBLISHED])
    return published | {
        "status": str(status),
        "statusBefore": str(before) if status == DocumentStatus.SCHEDULED else None,
        "publishAt": NOW + timedelta(hours=2) if status == DocumentStatus.SCHEDULED else None,
        "isPublished": live,
        "publishedAt": NOW - timedelta(days=1) if live else None,
        "published": {**published["published"], "version": 1 if changed else 2} if live else None,
        "contentId": published["contentId"] if draw.random() < 0.8 else None,
        "brief": briefs[brief],
        "submittedBy": draw.choice([None, holder.caller.actor, maker.caller.actor]),
        "deletedAt": NOW if draw.random() < 0.1 else None,
        "metaTitle": draw.choice([None, "Rye"]),
    }


@pytest.mark.slow
@pytest.mark.contract("decided-actions.agree")
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_in_every_state_an_operation_does_what_the_actions_say(project: Project, settings: dict[str, Any]) -> None:
    draw, tokens = random.Random(11), tokens_of(project)
    published = a_written_document(project.context(project.token("First", agent="maker-1")))
    OPERATIONS["update_project"](project.context(), fields=settings)
    documents = project.store.database.documents
    for number in range(COMBINATIONS):
        document = in_some_state(draw, published, tokens["holder"], tokens["maker"]) | THREADS[number % len(THREADS)]
        documents.replace_one({"_id": document["_id"]}, document)
        name, token = draw.choice(list(tokens.items()))
        ctx = project.context(token, channel=draw.choice([Channel.REST, Channel.MCP]), now=NOW)
        listed = OPERATIONS["list_document_actions"](ctx, str(document["_id"])).body
        assert [one["action"] for one in listed] == [one.name for one in document_operations(ALL)]
        for entry in listed:
            ids, fields = valid_call(entry["action"], document)
            dry = replace(ctx, dry_run=entry["allowed"])  # what is refused changes nothing anyway
            said = None
            try:
                OPERATIONS[entry["action"]](dry, *ids, fields=fields)
            except Refusal as refused:
                said = refused.body()
            assert said == entry["refusal"], (number, name, ctx.channel, entry["action"], document)


@pytest.mark.contract("decided-actions.agree")
def test_every_operation_that_writes_a_document_declares_what_can_refuse_it() -> None:
    assert [one.name for one in document_operations(ALL) if one.rule is None] == []
    assert len(document_operations(ALL)) >= 20


@pytest.mark.contract("decided-actions.list")
def test_the_refusal_is_the_error_of_the_route_byte_by_byte(rest: Rest, project: Project) -> None:
    document = claimed(rest, a_document(rest), rest.by(project.token("Night writer", agent="writer-1")))
    for caller in (rest, rest.by(project.token(agent="writer-2", scopes=WRITERS))):
        for entry in ok(caller.get(f"{path_of(document)}/actions")):
            assert entry["allowed"] == (entry["refusal"] is None)
            assert document["id"] in entry["path"]
            if entry["refusal"]:
                _, fields = valid_call(entry["action"], {"_id": document["id"], "contentId": None})
                path = entry["path"].replace(":version", "1")
                answer = caller.call(entry["method"], path, fields)
                assert answer.data == orjson.dumps(entry["refusal"]), entry["action"]


@pytest.mark.contract("decided-actions.list")
@pytest.mark.parametrize("state", ["claimed", "idea"])
def test_the_refusal_is_the_error_of_the_tool(app: Any, rest: Rest, project: Project, state: str) -> None:
    document = a_document(rest, status="idea")
    if state == "claimed":
        claimed(rest, document, rest.by(project.token("Night writer", agent="writer-1")))
    agent = Agent(app.test_client(), project.token(agent="writer-2"))
    for entry in agent.call("list_document_actions", documentId=document["id"])["items"]:
        if entry["refusal"]:
            ids, fields = valid_call(entry["action"], {"_id": document["id"], "contentId": None})
            version = {"version": 1} if entry["action"] == "restore_revision" else {}
            refused = agent.refused(entry["action"], documentId=ids[0], **version, **fields)
            assert refused == entry["refusal"], entry["action"]


@pytest.mark.contract("decided-actions.trash")
def test_in_the_trash_only_restoring_is_allowed(rest: Rest) -> None:
    document = a_document(rest)
    path = f"{path_of(document)}/actions"
    assert "restore_document" not in [one["action"] for one in ok(rest.get(path)) if one["allowed"]]
    ok(rest.delete(path_of(document)))

    assert [one["action"] for one in ok(rest.get(path)) if one["allowed"]] == ["restore_document"]
    a_document(rest)  # takes the slug
    [entry] = [one for one in ok(rest.get(path)) if one["action"] == "restore_document"]
    assert entry["refusal"] == rest.post(f"{path_of(document)}/restore").json
    assert rest.get(f"/documents/{NOBODY}/actions").status_code == 404


@pytest.mark.contract("decided-actions.list")
def test_a_document_too_large_to_publish_is_reported_before(rest: Rest) -> None:
    document = a_document(rest, markdown="*a*\n\n" * 400_000)

    entries = {one["action"]: one for one in ok(rest.get(f"{path_of(document)}/actions"))}

    assert entries["publish_document"]["refusal"] == rest.post(f"{path_of(document)}/publish").json
    assert entries["schedule_document"]["allowed"]


@pytest.mark.contract("decided-actions.agree")
def test_in_a_frozen_project_every_write_of_others_is_refused(rest: Rest, project: Project) -> None:
    document = a_document(rest)
    ok(rest.post("/project/freeze", {"note": "Spam."}))
    writer = rest.by(project.token("Writer", scopes=WRITERS))

    entries = {one["action"]: one for one in ok(writer.get(f"{path_of(document)}/actions"))}

    assert {one["refusal"]["_tag"] for one in entries.values()} == {"ProjectFrozen", "Forbidden"}
    assert entries["submit_document"]["refusal"] == writer.post(f"{path_of(document)}/submit").json
    assert entries["publish_document"]["refusal"] == writer.post(f"{path_of(document)}/publish").json
    assert [one for one in ok(rest.get(f"{path_of(document)}/actions")) if one["allowed"]]
