"""Documents, drafts and claims without the features that add to them: nothing of those is left."""

from dataclasses import replace
from typing import Any

import pytest

from app.core.context import Context
from app.core.schemas.loading import cached_schema
from app.documents.revision_store import Revisions
from app.documents.schemas import ApproveFields, ChangesRequest, ContentFields
from app.documents.store import Documents
from app.features import ALL
from app.intents.operations import create_document_intent, validate_intent
from app.intents.store import Intents
from app.publications.store import Publications
from tests.make import OPERATIONS, Project, a_document, a_ready_brief

pytestmark = pytest.mark.needs_mongod


def without(project: Project, *names: str) -> Context:
    project = replace(project, store=replace(project.store, features=ALL.without(*names)))
    return project.context(project.token(agent="writer-1"))


def names_of(schema: Any, *left_out: str) -> set[str]:
    return set(cached_schema(ALL.without(*left_out).schema_of(schema)).fields)


def test_without_review_a_request_for_changes_has_a_note_alone(project: Project) -> None:
    ctx = without(project, "review")
    document = a_document(ctx, markdown="Loaf.")
    OPERATIONS["submit_document"](ctx, document["id"], fields={})

    moved = OPERATIONS["request_changes"](ctx, document["id"], fields={"note": "Say which."}).body

    assert (moved["status"], moved["reviewNote"]) == ("drafting", "Say which.")
    assert "rounds" not in moved["brief"]
    stored = ctx.store[Documents].get(ctx.project_id, document["id"])
    assert stored is not None
    assert not {"rounds", "roundsAt"} & stored.keys()
    assert names_of(ChangesRequest, "review") == {"note"}


def test_without_provenance_nothing_says_who_wrote_a_text(project: Project) -> None:
    ctx = without(project, "provenance")
    document = a_document(ctx, markdown="Loaf.")

    OPERATIONS["publish_document"](ctx, document["id"], fields={})

    version = ctx.store[Revisions].get(ctx.project_id, document["id"], 1)
    publication = ctx.store[Publications].get(ctx.project_id, document["id"])
    assert version is not None
    assert publication is not None
    assert not {"kind", "generation", "review", "disclosure", "agentWords"} & (version.keys() | publication.keys())
    [shown] = OPERATIONS["list_revisions"](ctx, document["id"], fields={"limit": 1, "offset": 0}).body
    assert "generation" not in shown
    assert names_of(ContentFields, "provenance") == {"baseVersion", "claimedAt", "markdown"}
    assert names_of(ApproveFields, "provenance") == {"baseVersion"}


def test_without_provenance_and_checks_a_draft_has_neither_its_writer_nor_warnings(project: Project) -> None:
    ctx = without(project, "provenance", "checks")
    draft = create_document_intent(ctx, fields={"title": "Loaf", "markdown": "Loaf."}).body

    assert validate_intent(ctx, draft["id"], fields={}).body == {"valid": True, "errors": []}
    stored = ctx.store[Intents].get(ctx.project_id, ctx.token_id, draft["id"], None)
    assert stored is not None
    assert "byAgent" not in stored


def test_without_packets_a_claim_has_none(project: Project) -> None:
    ctx = without(project, "packets")
    document = a_ready_brief(ctx)

    assert "packet" not in OPERATIONS["claim_brief"](ctx, document["id"], fields={"packet": True}).body
