"""What the store returns has the fields of its type, no more and no others (besides keys that lists sort by)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest

from app.rules.briefs import StoredBrief
from app.rules.documents import PublishedDocument, Snapshot, StoredDocument
from app.rules.events import StoredEvent
from app.rules.insights import StoredFigures
from app.rules.intents import StoredIntent
from app.rules.named import StoredCategory, StoredCluster, StoredMember
from app.rules.projects import StoredProject
from app.rules.revisions import StoredRevision
from app.rules.tokens import StoredToken
from app.rules.webhooks import Attempt, StoredDelivery, StoredWebhook, WebhookSecret
from app.store.idempotency import StoredKey
from app.store.leases import WebhookLease
from tests.make import OPERATIONS, Project, a_ready_brief, made

pytestmark = pytest.mark.needs_mongod

KEYS = {"nameKey", "emailKey", "titleKey", "dueKey", "uses", "revised"}
"""Stored to sort and to compare by; no caller reads them."""


def fits(record: Any, shape: Any) -> None:
    assert record is not None
    hints = get_type_hints(shape, include_extras=True)
    assert set(record) - set(hints) - KEYS == set()
    assert {name for name, hint in hints.items() if get_origin(hint) is not NotRequired} - set(record) == set()


def test_what_the_store_returns_of_work_on_documents_has_the_fields_of_its_type(project: Project) -> None:
    store, token = project.store, project.token(agent="writer-1")
    ctx = project.context(token)
    document = a_ready_brief(ctx, markdown="Loaf.")
    OPERATIONS["claim_brief"](ctx, document["id"], fields={}, key="first")
    OPERATIONS["publish_document"](ctx, document["id"], fields={})
    fits(store.events.of_document(project.id, document["id"], limit=1, offset=0)[0], StoredEvent)
    store.outboxes.publish_all(project.id)

    fits(store.events.page(project.id, None, 1)[0][0], StoredEvent)
    fits(store.revisions.get(project.id, document["id"], 1), StoredRevision)
    fits(store.idempotency.find(project.id, token.id, "first"), StoredKey)
    fits(store.delivery.following(project.id, None, limit=1, bare=False)[0]["snapshot"], Snapshot)
    assert set(get_type_hints(PublishedDocument)) <= set(
        store.delivery.following(project.id, None, limit=1, bare=True)[0]
    )
    rows = store.insights.of_days(project.id, ctx.now.date(), ctx.now.date())
    assert {row["tokenId"] for row in rows} == {None, token.id}
    for row in rows:
        fits(row, StoredFigures)


def test_what_the_store_returns_of_webhooks_has_the_fields_of_its_type(project: Project) -> None:
    store, ctx = project.store, project.context(project.token())
    webhook = OPERATIONS["create_webhook"](ctx, fields={"url": "https://93.184.215.14/hook"}).body
    OPERATIONS["test_webhook"](ctx, webhook["id"])
    now = ctx.now + timedelta(seconds=1)
    [sent] = store.deliveries.due(project.id, webhook["id"], now, 1)
    attempt = Attempt(at=ctx.now, statusCode=503, error="the answer was 503", durationMs=4)
    store.deliveries.record_attempt(project.id, sent, attempt, {"since": ctx.now})

    fits(store.webhooks.get(project.id, webhook["id"]), StoredWebhook)
    signing: Any = store.webhooks.to_sign(project.id, webhook["id"])
    fits(signing["secrets"][0], WebhookSecret)
    fits(store.deliveries.log(project.id, webhook["id"], [], limit=1, offset=0)[0], StoredDelivery)
    fits(store.deliveries.due(project.id, webhook["id"], now, 1)[0], StoredDelivery)
    fits(store.deliveries.due(project.id, webhook["id"], now, 1)[0]["attempts"][0], Attempt)
    fits(store.leases.take(now, now + timedelta(seconds=9), slow=True), WebhookLease)
    assert store.leases.record_failure(webhook["id"], ctx.now) == (ctx.now, 1)


def test_what_the_store_returns_has_the_fields_of_its_type(project: Project) -> None:
    store, token = project.store, project.token(agent="writer-1")
    ctx = project.context(token)
    category, cluster = made(ctx, "category", name="Bread", slug="bread"), made(ctx, "cluster", name="Rye")
    filed = {"categoryId": category["id"], "clusterId": cluster["id"], "dueDate": "2027-01-01"}
    document = a_ready_brief(ctx, markdown="Loaf.", **filed)
    OPERATIONS["claim_brief"](ctx, document["id"], fields={"leaseSeconds": 60})
    fits(store.briefs.list(project.id, ["claimed"], ctx.now, limit=1, offset=0)[0]["brief"], StoredBrief)
    OPERATIONS["publish_document"](ctx, document["id"], fields={})
    soon = (ctx.now + timedelta(days=1)).isoformat()
    OPERATIONS["schedule_document"](ctx, document["id"], fields={"publishAt": soon})
    draft = OPERATIONS["create_document_intent"](ctx, fields={"title": "Oats", "markdown": "Loaf."}).body
    member = OPERATIONS["create_member"](ctx, fields={"name": "Ada", "role": "writer"}).body

    stored: Any = store.documents.get(project.id, document["id"])
    fits(stored, StoredDocument)
    fits(stored["brief"], StoredBrief)
    fits(stored["snapshot"], Snapshot)
    fits(store.categories.get(project.id, category["id"]), StoredCategory)
    fits(store.clusters.get(project.id, cluster["id"]), StoredCluster)
    fits(store.members.get(project.id, member["id"]), StoredMember)
    fits(store.projects.find(project.id), StoredProject)
    fits(store.tokens.get(project.id, token.id), StoredToken)
    fits(store.intents.get(project.id, token.id, draft["id"], None), StoredIntent)
