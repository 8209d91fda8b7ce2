"""What the store returns has the fields of its type, no more and no others (besides keys that lists sort by)."""

from datetime import timedelta
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest
from bson import ObjectId

from app.categories.rules import StoredCategory, StoredCluster
from app.categories.store import Categories, Clusters
from app.core.events import StoredEvent
from app.core.store.bodies import Bodies, StoredBody
from app.core.store.delivery_revisions import DeliveryRevisions, StoredDeliveryRevision
from app.core.store.idempotency import Idempotency, StoredKey
from app.core.store.outbox import Outboxes, PlannedEvent, StoredFeed
from app.documents.record import StoredBrief
from app.documents.revision_store import Revisions
from app.documents.store import Documents
from app.events.store import Events
from app.guards.store import Budgets, StoredBudgetUse
from app.guards.vocabulary import BudgetLimit
from app.insights.rules import Progress, StoredFigures
from app.insights.store import InsightFigures
from app.intents.store import Intents
from app.projects.rules import StoredMember, StoredProject, StoredToken
from app.projects.store import Members, Projects, StoredCounters
from app.projects.token_store import Tokens
from app.provenance.reviews import AttributedDraft, AttributedRevision, DisclosedPublication
from app.publications.record import Published
from app.publications.store import Publications
from app.review.rules import ReviewedDocument
from app.webhooks.attempt_store import Deliveries
from app.webhooks.leases import Leases, StoredLease
from app.webhooks.rules import Attempt, DeliveryState, StoredDelivery, StoredWebhook, WebhookSecret
from app.webhooks.store import Webhooks
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
    fits(store[Events].of_document(project.id, document["id"], limit=1, offset=0)[0], StoredEvent)
    store[Outboxes].publish_all(project.id)

    fits(store[Events].page(project.id, None, 1)[0][0], StoredEvent)
    fits(store[Revisions].get(project.id, document["id"], 1), AttributedRevision)
    fits(store[Idempotency].find(project.id, token.id, "first"), StoredKey)
    fits(store[Publications]._find(project.id, {})[0], DisclosedPublication)
    fits(store[Bodies]._find(project.id, {"documentId": ObjectId(document["id"])})[0], StoredBody)
    own = {"_id": 0, "projectId": 0, "sequence": 0}
    fits(store.database.progress.find_one({"_id": ObjectId(document["id"])}, own), Progress)
    rows = store[InsightFigures].of_days(project.id, ctx.now.date(), ctx.now.date())
    assert {row["tokenId"] for row in rows} == {None, token.id}
    for row in rows:
        fits(row, StoredFigures)


def test_what_the_store_returns_of_webhooks_has_the_fields_of_its_type(project: Project) -> None:
    store, ctx = project.store, project.context(project.token())
    webhook = OPERATIONS["create_webhook"](ctx, fields={"url": "https://93.184.215.14/hook"}).body
    OPERATIONS["test_webhook"](ctx, webhook["id"])
    now = ctx.now + timedelta(seconds=1)
    [sent] = store[Deliveries].due(project.id, webhook["id"], now, 1)
    attempt = Attempt(at=ctx.now, statusCode=503, error="the answer was 503", durationMs=4)
    state = DeliveryState(status="pending", failures=1, since=ctx.now, nextAttemptAt=ctx.now)
    store[Deliveries].record_attempt(project.id, sent, attempt, state)

    fits(store[Webhooks].get(project.id, webhook["id"]), StoredWebhook)
    signing: Any = store[Webhooks].get_with_secrets(project.id, webhook["id"])
    fits(signing["secrets"][0], WebhookSecret)
    fits(store[Deliveries].log(project.id, webhook["id"], [], limit=1, offset=0)[0], StoredDelivery)
    fits(store[Deliveries].due(project.id, webhook["id"], now, 1)[0], StoredDelivery)
    fits(store[Deliveries].due(project.id, webhook["id"], now, 1)[0]["attempts"][0], Attempt)
    fits(store[Leases].take(now, now + timedelta(seconds=9), slow=True), StoredLease)
    assert store[Leases].record_failure(webhook["id"], ctx.now) == (ctx.now, 1)
    store[Leases].wake(project.id, webhook["id"], now)
    later = now + timedelta(seconds=9)
    fits(store[Leases].take(later, later, slow=True), StoredLease)


def test_a_feed_its_plan_and_what_a_project_counts_have_the_fields_of_their_types(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, token = project.store, project.token()
    ctx = project.context(token)
    made(ctx, "cluster", name="Rye")
    store[Budgets].spend(project.id, token.id, BudgetLimit.WRITES, ctx.now)
    store[DeliveryRevisions].count(project.id, ["a change"])
    one = {"_id": ObjectId(project.id)}
    with monkeypatch.context() as patch:
        patch.setattr(store[Outboxes], "_apply_batch", lambda *_: None)
        store[Outboxes].publish_batch(project.id)

    feed: Any = store.database.feeds.find_one(one)
    fits(feed, StoredFeed)
    fits(feed["plan"][0], PlannedEvent)
    store[Outboxes].publish_all(project.id)
    feed = store.database.feeds.find_one(one)
    fits(feed, StoredFeed)
    fits(store.database.counters.find_one(one), StoredCounters)
    fits(store.database.deliveryRevisions.find_one(one), StoredDeliveryRevision)
    fits(store[Budgets]._find(project.id, {})[0], StoredBudgetUse)


def test_what_the_store_returns_has_the_fields_of_its_type(project: Project) -> None:
    store, token = project.store, project.token(agent="writer-1")
    ctx = project.context(token)
    category, cluster = made(ctx, "category", name="Bread", slug="bread"), made(ctx, "cluster", name="Rye")
    filed = {"categoryId": category["id"], "clusterId": cluster["id"], "dueDate": "2027-01-01"}
    document = a_ready_brief(ctx, markdown="Loaf.", **filed)
    OPERATIONS["claim_brief"](ctx, document["id"], fields={"leaseSeconds": 60})
    fits(store[Documents].list_briefs(project.id, ["claimed"], limit=1, offset=0)[0]["brief"], StoredBrief)
    OPERATIONS["publish_document"](ctx, document["id"], fields={})
    soon = (ctx.now + timedelta(days=1)).isoformat()
    OPERATIONS["schedule_document"](ctx, document["id"], fields={"publishAt": soon})
    draft = OPERATIONS["create_document_intent"](ctx, fields={"title": "Oats", "markdown": "Loaf."}).body
    member = OPERATIONS["create_member"](ctx, fields={"name": "Ada", "role": "writer"}).body

    stored: Any = store[Documents].get(project.id, document["id"])
    fits(stored, ReviewedDocument)
    fits(stored["brief"], StoredBrief)
    fits(stored["published"], Published)
    fits(store[Categories].get(project.id, category["id"]), StoredCategory)
    fits(store[Clusters].get(project.id, cluster["id"]), StoredCluster)
    fits(store[Members].get(project.id, member["id"]), StoredMember)
    fits(store[Projects].find(project.id), StoredProject)
    fits(store[Tokens].get(project.id, token.id), StoredToken)
    fits(store[Intents].get(project.id, token.id, draft["id"], None), AttributedDraft)
