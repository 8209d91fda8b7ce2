"""Which queries name the project, and so reach one shard when collections are sharded by it (docs/deployment.md)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from pymongo import MongoClient, monitoring

from app.briefs.operations import end_expired_claim
from app.core.context import Context, this_instant
from app.core.store.outbox import Outboxes
from app.core.vocabulary import Channel
from app.documents.store import Documents
from app.events.store import Events
from app.features import ALL, connect
from tests.graphql_app.client import GraphQL, delivery_token
from tests.listener import Listener
from tests.make import OPERATIONS, Project, an_app, made

pytestmark = pytest.mark.needs_mongod

SHARD_KEYS = {
    **dict.fromkeys(
        (
            "documents",
            "publications",
            "categories",
            "clusters",
            "members",
            "webhooks",
            "sessions",
            "invitations",
            "budgets",
        ),
        ("projectId",),
    ),
    **dict.fromkeys(("bodies", "revisions"), ("projectId", "documentId")),
    "events": ("projectId", "sequence"),
    **dict.fromkeys(("intents", "idempotency"), ("projectId", "tokenId")),
    "deliveries": ("projectId", "webhookId"),
}
"""The shard keys that begin with the project, by collection. `progress`, `figures`, `feeds`, `counters` and
`deliveryRevisions` have `{_id: "hashed"}`, where they are sharded."""

Condition = tuple[str, str, Mapping[str, Any]]


class Conditions(Listener):
    """The conditions of the commands that were sent, each with its collection and the command's name."""

    def __init__(self) -> None:
        self.sent: list[Condition] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        command, name = event.command, event.command_name
        match name:
            case "find":
                self.sent.append((command["find"], name, command["filter"]))
            case "findAndModify":
                self.sent.append((command[name], name, command["query"]))
            case "update" | "delete":
                self.sent += [(command[name], name, one["q"]) for one in command[f"{name}s"]]
            case "aggregate" if isinstance(command[name], str):
                self.sent += _matches(command[name], command["pipeline"])


def _matches(collection: str, pipeline: Sequence[Mapping[str, Any]]) -> Iterator[Condition]:
    yield collection, "aggregate", pipeline[0].get("$match", {})
    for stage in pipeline:
        if union := stage.get("$unionWith"):
            yield from _matches(union["coll"], union["pipeline"])


def _is_targeted(condition: Mapping[str, Any]) -> bool:
    if "projectId" in condition:
        return not isinstance(condition["projectId"], Mapping)
    return bool(condition.get("$or")) and all(_is_targeted(one) for one in condition["$or"])


@pytest.fixture
def conditions() -> Conditions:
    return Conditions()


@pytest.fixture
def ctx(
    project: Project, mongodb_uri: str, conditions: Conditions, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Context]:
    """A call whose conditions are noted."""
    monkeypatch.setattr("app.core.store.store.MongoClient", partial(MongoClient, event_listeners=[conditions]))
    store = connect(mongodb_uri, project.store.database.name)
    yield Context(store, project.token(agent="rye").caller, Channel.REST)
    store.database.client.close()


def _scattered(conditions: Conditions) -> set[tuple[str, str]]:
    return {
        (collection, name)
        for collection, name, condition in conditions.sent
        if collection in SHARD_KEYS and not _is_targeted(condition)
    }


def _work(ctx: Context) -> None:
    """Takes a document through its whole life, and reads every list."""

    def run(operation: str, *ids: str, **fields: Any) -> Any:
        return OPERATIONS[operation](ctx, *ids, fields=fields).body

    category = made(ctx, "category", name="Bread", slug="bread")["id"]
    cluster = made(ctx, "cluster", name="Rye")["id"]
    fields = {"title": "Rye", "categoryId": category, "clusterId": cluster, "brief": {"keyword": "rye"}}
    document = made(ctx, "document", markdown="# Rye\n\nFlour.", **fields)["id"]
    for operation, given in {
        "mark_brief_ready": {},
        "claim_brief": {"leaseSeconds": 60},
        "renew_claim": {},
        "release_brief": {},
        "claim_next_brief": {},
        "write_content": {"markdown": "# Rye\n\nWater.", "baseVersion": 1},
        "submit_document": {},
        "approve_document": {},
        "publish_document": {},
    }.items():
        run(operation, *([] if operation == "claim_next_brief" else [document]), **given)
    page = {"limit": 20, "offset": 0}
    run("list_briefs", state=["ready", "claimed"], **page)
    run("list_documents", sort="title", status=["published"], q="rye", **page)
    run("list_documents", sort="-updatedAt", briefState=["ready"], **page)
    run("get_document", document)
    run("list_revisions", document, **page)
    run("list_events", limit=100)
    run("update_category", category, name="Breads")
    site = GraphQL(an_app(ctx.store).test_client(), delivery_token(Project(ctx.store, ctx.project_id, "")))
    site.data("{ documents(limit: 20) { title html category { name } related { title } } }")
    site.data('{ documentBySlug(slug: "rye") { title } categories { name documentCount } }')
    run("unpublish_document", document)
    run("delete_document", document)


def test_each_unique_index_begins_with_the_shard_key_as_mongodb_requires() -> None:
    unique = [index for index in ALL.indexes if index.collection in SHARD_KEYS and index.options.get("unique")]

    assert len(unique) > 8
    for index in unique:
        key = SHARD_KEYS[index.collection]
        assert tuple(name for name, _ in index.keys)[: len(key)] == key, index.name


def test_the_queries_of_a_documents_whole_life_name_its_project(ctx: Context, conditions: Conditions) -> None:
    _work(ctx)

    assert len(conditions.sent) > 50
    assert _scattered(conditions) == set()


def test_what_the_relay_writes_names_its_project(ctx: Context, conditions: Conditions) -> None:
    _work(ctx)
    conditions.sent.clear()

    assert ctx.store[Outboxes].publish_all(ctx.project_id) > 10
    assert ctx.store[Events].trim(ctx.project_id, this_instant() + timedelta(days=1)) > 10

    assert _scattered(conditions) == set()


def test_what_looks_in_all_projects_is_what_the_worker_looks_for(ctx: Context, conditions: Conditions) -> None:
    document = made(ctx, "document", title="Rye", brief={"keyword": "rye"})["id"]
    OPERATIONS["mark_brief_ready"](ctx, document)
    OPERATIONS["claim_brief"](ctx, document, fields={"leaseSeconds": 60})
    conditions.sent.clear()

    ctx.store[Outboxes].projects_waiting()
    ctx.store[Documents].find_projects_due(this_instant())
    later = this_instant() + timedelta(minutes=2)
    assert ctx.project_id in ctx.store[Documents].find_projects_with_expired(later)
    [expired] = ctx.store[Documents].find_expired(ctx.project_id, later)
    assert expired["id"] == document
    end_expired_claim(replace(ctx, now=later), expired)

    assert ("documents", "findAndModify") in {(collection, name) for collection, name, _ in conditions.sent}
    assert _scattered(conditions) == {(name, "aggregate") for name in ALL.outboxes if name in SHARD_KEYS}
