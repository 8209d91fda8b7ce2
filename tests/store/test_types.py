"""What the store returns has the fields of its type, no more and no others (besides keys that lists sort by)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_type_hints

import pytest

from app.rules.briefs import StoredBrief
from app.rules.categories import StoredCategory
from app.rules.clusters import StoredCluster
from app.rules.documents import Snapshot, StoredDocument
from app.rules.intents import StoredIntent
from app.rules.members import StoredMember
from app.rules.projects import StoredProject
from app.rules.tokens import StoredToken
from tests.make import OPERATIONS, Project, a_ready_brief, made

pytestmark = pytest.mark.needs_mongod

KEYS = {"nameKey", "emailKey", "titleKey", "dueKey", "uses", "revised"}
"""Stored to sort and to compare by; no caller reads them."""


def fits(record: Any, shape: Any) -> None:
    assert record is not None
    assert set(record) - set(get_type_hints(shape)) - KEYS == set()
    assert set(shape.__required_keys__) - set(record) == set()


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
