"""What the store returns has the fields of its type, no more and no others (besides keys that lists sort by)."""

from datetime import timedelta
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest
from bson import ObjectId

from app.rules.documents import Published, StoredBrief, StoredDocument
from app.rules.events import StoredEvent
from app.rules.insights import Progress, StoredFigures
from app.rules.intents import StoredIntent
from app.rules.named import StoredCategory, StoredCluster, StoredMember
from app.rules.projects import StoredProject
from app.rules.publishing import Publication
from app.rules.revisions import StoredRevision
from app.rules.tokens import StoredToken
from app.rules.webhooks import Attempt, DeliveryState, StoredDelivery, StoredWebhook, WebhookSecret
from app.store.bodies import StoredBody
from app.store.events import PlannedEvent, StoredFeed
from app.store.idempotency import StoredKey
from app.store.leases import StoredLease
from app.store.projects import StoredCounters
from app.store.tokens import StoredBudgetUse
from app.vocabulary import BudgetLimit
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
    fits(store.publications._find(project.id, {})[0], Publication)
    fits(store.bodies._find(project.id, {"documentId": ObjectId(document["id"])})[0], StoredBody)
    own = {"_id": 0, "projectId": 0, "sequence": 0}
    fits(store.database.progress.find_one({"_id": ObjectId(document["id"])}, own), Progress)
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
    state = DeliveryState(status="pending", failures=1, since=ctx.now, nextAttemptAt=ctx.now)
    store.deliveries.record_attempt(project.id, sent, attempt, state)

    fits(store.webhooks.get(project.id, webhook["id"]), StoredWebhook)
    signing: Any = store.webhooks.get_with_secrets(project.id, webhook["id"])
    fits(signing["secrets"][0], WebhookSecret)
    fits(store.deliveries.log(project.id, webhook["id"], [], limit=1, offset=0)[0], StoredDelivery)
    fits(store.deliveries.due(project.id, webhook["id"], now, 1)[0], StoredDelivery)
    fits(store.deliveries.due(project.id, webhook["id"], now, 1)[0]["attempts"][0], Attempt)
    fits(store.leases.take(now, now + timedelta(seconds=9), slow=True), StoredLease)
    assert store.leases.record_failure(webhook["id"], ctx.now) == (ctx.now, 1)
    store.leases.wake(project.id, webhook["id"], now)
    later = now + timedelta(seconds=9)
    fits(store.leases.take(later, later, slow=True), StoredLease)


def test_a_feed_its_plan_and_what_a_project_counts_have_the_fields_of_their_types(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, token = project.store, project.token()
    ctx = project.context(token)
    made(ctx, "cluster", name="Rye")
    store.budgets.spend(project.id, token.id, BudgetLimit.WRITES, ctx.now)
    one = {"_id": ObjectId(project.id)}
    with monkeypatch.context() as patch:
        patch.setattr(store.outboxes, "_apply_batch", lambda *_: None)
        store.outboxes.publish_batch(project.id)

    feed: Any = store.database.feeds.find_one(one)
    fits(feed, StoredFeed)
    fits(feed["plan"][0], PlannedEvent)
    store.outboxes.publish_all(project.id)
    feed = store.database.feeds.find_one(one)
    fits(feed, StoredFeed)
    fits(store.database.counters.find_one(one), StoredCounters)
    fits(store.budgets._find(project.id, {})[0], StoredBudgetUse)


def test_what_the_store_returns_has_the_fields_of_its_type(project: Project) -> None:
    store, token = project.store, project.token(agent="writer-1")
    ctx = project.context(token)
    category, cluster = made(ctx, "category", name="Bread", slug="bread"), made(ctx, "cluster", name="Rye")
    filed = {"categoryId": category["id"], "clusterId": cluster["id"], "dueDate": "2027-01-01"}
    document = a_ready_brief(ctx, markdown="Loaf.", **filed)
    OPERATIONS["claim_brief"](ctx, document["id"], fields={"leaseSeconds": 60})
    fits(store.documents.list_briefs(project.id, ["claimed"], limit=1, offset=0)[0]["brief"], StoredBrief)
    OPERATIONS["publish_document"](ctx, document["id"], fields={})
    soon = (ctx.now + timedelta(days=1)).isoformat()
    OPERATIONS["schedule_document"](ctx, document["id"], fields={"publishAt": soon})
    draft = OPERATIONS["create_document_intent"](ctx, fields={"title": "Oats", "markdown": "Loaf."}).body
    member = OPERATIONS["create_member"](ctx, fields={"name": "Ada", "role": "writer"}).body

    stored: Any = store.documents.get(project.id, document["id"])
    fits(stored, StoredDocument)
    fits(stored["brief"], StoredBrief)
    fits(stored["published"], Published)
    fits(store.categories.get(project.id, category["id"]), StoredCategory)
    fits(store.clusters.get(project.id, cluster["id"]), StoredCluster)
    fits(store.members.get(project.id, member["id"]), StoredMember)
    fits(store.projects.find(project.id), StoredProject)
    fits(store.tokens.get(project.id, token.id), StoredToken)
    fits(store.intents.get(project.id, token.id, draft["id"], None), StoredIntent)
