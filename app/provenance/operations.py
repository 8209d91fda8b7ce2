"""Who wrote a text and who reviewed it, and what is disclosed of all that is live (decisions, section 18)."""

import hashlib
from collections import Counter
from datetime import UTC, date, datetime, time
from functools import reduce
from operator import or_

from app.checks.operations import check_levels, checks_of
from app.checks.vocabulary import CheckOutcome
from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import NotFound, or_raise
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.store.bodies import Bodies, StoredBody
from app.core.text.excerpts import word_count
from app.core.times import wire_time
from app.core.vocabulary import Scope
from app.documents.content import content_id_of, own_revision
from app.documents.operations import own_document
from app.documents.record import StoredDocument
from app.documents.revision_store import Revisions
from app.provenance.responses import DisclosureRow, VersionReview, disclosure_row, disclosures_csv
from app.provenance.responses import Provenance as ProvenanceResponse
from app.provenance.reviews import HumanReview, disclosure_value
from app.provenance.rules import Provenance, load_origins, paragraphs_of, provenance_of, versions_in
from app.provenance.schemas import DisclosureQuery, VersionQuery
from app.provenance.vocabulary import WriterKind
from app.publications.store import Publications
from app.review.store import Threads
from app.review.vocabulary import ThreadOutcome, ThreadState


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/provenance",
    tag="provenance",
    query=VersionQuery,
    toolsets=("reviewing",),
)
def get_provenance(ctx: Context, document_id: str, fields: Fields) -> Result[ProvenanceResponse]:
    """Read who wrote each paragraph of a document."""
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    body = ctx.store[Bodies].get(ctx.project_id, content_id_of(ctx, document, version))
    written = written_text(ctx, body)
    return Result(
        {
            "version": version,
            "words": written.words(),
            "people": written.words(WriterKind.PERSON),
            "agents": written.words(WriterKind.AGENT),
            "paragraphs": written.paragraphs,
        }
    )


def written_text(ctx: Context, body: StoredBody | None) -> Provenance:
    """Returns who wrote a document's content, None being no content."""
    if body is None:
        return Provenance([])
    with processing(ctx, body["text"]):
        paragraphs, origins = paragraphs_of(body["text"]), load_origins(body["origins"] or "")
        words = [word_count(one.text) for one in paragraphs]
    named = versions_in(reduce(or_, set(origins), 0))
    revisions = ctx.store[Revisions].get_many(ctx.project_id, body["documentId"], named)
    return provenance_of(paragraphs, words, origins, revisions)


def review_of(ctx: Context, document: StoredDocument, sent: Fields) -> HumanReview:
    """Returns the record of a review: what the person attests, and what the service knows of the document's version."""
    body = ctx.store[Bodies].get(ctx.project_id, document.get("contentId"))
    markdown = body["text"] if body else ""
    written = written_text(ctx, body)
    outcomes = Counter(one["outcome"] for one in checks_of(ctx, document, check_levels(ctx), markdown))
    resolved = ctx.store[Threads].list(ctx.project_id, document["id"], [ThreadState.RESOLVED])
    suggestions = Counter(thread["outcome"] for thread in resolved)
    agents = written.words(WriterKind.AGENT)
    attested = {"facts": sent["facts"], "examined": sent.get("examined") or ""}
    return {
        "sha256": hashlib.sha256(markdown.encode()).hexdigest(),
        "by": ctx.caller.actor,
        "at": wire_time(ctx.now),
        "facts": sent["facts"],
        "sources": sent["sources"],
        "examined": sent.get("examined") or "",
        "responsible": sent.get("responsible") or "",
        "people": written.words(WriterKind.PERSON),
        "agents": agents,
        "models": written.models,
        "threads": {
            "resolved": len(resolved),
            "accepted": suggestions[ThreadOutcome.ACCEPTED],
            "rejected": suggestions[ThreadOutcome.REJECTED],
        },
        "checks": {"passed": outcomes[CheckOutcome.PASSED], "failed": outcomes[CheckOutcome.FAILED]},
        "disclosure": str(disclosure_value(agents, attested)),
    }


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/review-record",
    tag="provenance",
    query=VersionQuery,
    toolsets=("reviewing",),
)
def get_review_record(ctx: Context, document_id: str, fields: Fields) -> Result[VersionReview]:
    """Read the record of a person's review, by default of the newest version that has one."""
    document = own_document(ctx, document_id)
    if "version" in fields:
        revision = own_revision(ctx, document["id"], fields["version"])
    else:
        newest = ctx.store[Revisions].newest_reviewed(ctx.project_id, document["id"])
        revision = or_raise(newest, NotFound, "No version of the document has the record of a review.")
    review = or_raise(revision.get("review"), NotFound, "This version has no record of a review.")
    version = revision["version"]
    current = version == document["version"]
    return Result({**review, "documentId": document["id"], "version": version, "current": current})


@operation(
    Scope.READ,
    Effect.READS,
    "GET /disclosures",
    tag="provenance",
    query=DisclosureQuery,
    as_csv=disclosures_csv,
    toolsets=("admin",),
)
def list_disclosures(ctx: Context, fields: Fields) -> Result[list[DisclosureRow]]:
    """List what is disclosed of everything that is live, the newest first."""
    since, until = fields.get("from_"), fields.get("to")
    found = ctx.store[Publications].published_between(
        ctx.project_id,
        datetime.combine(date.fromisoformat(since), time.min, UTC) if since else None,
        datetime.combine(date.fromisoformat(until), time.max, UTC) if until else None,
        limit=fields["limit"],
        offset=fields["offset"],
    )
    return Result([disclosure_row(publication) for publication in found])
