"""Who wrote and who reviewed a text, as versions, drafts, approvals and publications store it.

(decisions, section 18)
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from app.core.context import Context
from app.core.errors import WriteConflict, refusal_of
from app.core.records import record_of
from app.core.schemas.loading import Fields
from app.core.store.bodies import Bodies, StoredBody
from app.documents.record import Decision, StoredDocument
from app.documents.statuses import approve_document
from app.documents.store import Documents
from app.provenance.operations import attributed, provenance_of, review_of
from app.provenance.reviews import TOKENS, Generation
from app.provenance.rules import Provenance, attribution_of
from app.provenance.store import AttributedRevisions
from app.provenance.vocabulary import WriterKind


def origin_of_version(ctx: Context, fields: Fields, draft: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns whose words a version has, an agent's or a person's, and what they say that they used.

    Those of a draft are whose they were when they were sent, whoever confirms it.
    """
    generation = fields.get("generation")
    by_agent = generation or draft.get("byAgent", ctx.call.is_by_agent)
    return {"kind": WriterKind.AGENT if by_agent else WriterKind.PERSON, "generation": generation}


def origin_of_draft(ctx: Context, fields: Fields) -> Mapping[str, Any]:
    """Returns whether an agent wrote a draft's markdown, or it came over MCP."""
    return {"byAgent": ctx.call.is_by_agent}


def tokens_of(fields: Fields) -> Mapping[str, Any]:
    """Returns the numbers of tokens that the writer of a text declares, for its event."""
    declared = fields.get("generation") or {}
    return {name: number for name in TOKENS if isinstance(number := declared.get(name), int)}


def generation_shown(revision: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns what the writer of a version says that they used, as callers see it."""
    declared = revision.get("generation")
    return {"generation": declared and record_of(Generation, declared)}


def attribution(ctx: Context, document: StoredDocument, body: StoredBody | None) -> Mapping[str, Any]:
    """Returns what a publication of a document discloses, and how many words each agent wrote of it."""
    written, revisions = attributed(ctx, body, document["version"])
    revision = revisions.get(document["version"])
    return attribution_of(written, revision and revision.get("review"))


def read_for_review(ctx: Context, document_id: str, fields: Fields) -> tuple[StoredBody | None, Provenance] | None:
    """Returns a document's content and who wrote it; None without `review`, or where approving is refused anyway."""
    document = None if fields.get("review") is None else ctx.store[Documents].get(ctx.project_id, document_id)
    if document is None or refusal_of(partial(approve_document, document, ctx.call)):
        return None
    body = ctx.store[Bodies].get(ctx.project_id, document.get("contentId"))
    return body, provenance_of(ctx, body)


def add_review(ctx: Context, document: StoredDocument, decision: Decision, fields: Fields) -> Decision:
    """Stores the record of a person's review with the version that they approve."""
    if (sent := fields.get("review")) is None:
        return decision
    if ctx.prepared is None:
        raise WriteConflict
    body, written = ctx.prepared
    if (body and body["id"]) != document.get("contentId"):
        raise WriteConflict
    review = review_of(ctx, document, sent, body, written)
    ctx.store[AttributedRevisions].add_review(ctx.project_id, document["id"], document["version"], review)
    return decision
