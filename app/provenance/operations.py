"""Who wrote a text and who reviewed it, and what is disclosed of all that is live (decisions, section 18)."""

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import partial, reduce
from operator import or_
from time import monotonic
from typing import Any, cast

from app.checks.operations import check_levels, checks_of
from app.checks.vocabulary import CheckOutcome
from app.core.concurrency import processing
from app.core.context import Context, system
from app.core.errors import NotFound, or_raise
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.schemas.queries import in_part
from app.core.store.bodies import Bodies, StoredBody
from app.core.store.store import Store
from app.core.times import wire_time
from app.core.vocabulary import Channel, Scope
from app.documents.content import content_id_of, markdown_of, own_revision
from app.documents.operations import own_document
from app.documents.record import StoredDocument
from app.documents.store import Documents
from app.events.store import Events
from app.provenance import rules
from app.provenance.responses import DisclosureRow, VersionReview, disclosure_row, disclosures_csv
from app.provenance.responses import Provenance as ProvenanceResponse
from app.provenance.reviews import AttributedRevision, HumanReview, disclosure_value
from app.provenance.rules import (
    Provenance,
    Writer,
    WrittenText,
    ancestry,
    digests_of,
    dump_origins,
    load_origins,
    origins_after,
    words_in,
)
from app.provenance.schemas import DisclosureQuery, ProvenanceQuery, VersionQuery
from app.provenance.store import AttributedRevisions, Disclosures
from app.provenance.vocabulary import WriterKind
from app.review.store import Threads
from app.review.vocabulary import ThreadOutcome, ThreadState

_of_provenance = partial(operation, Scope.READ, Effect.READS, tag="provenance")

BRING_TEXTS = ("document.created", "document.content_updated")
"""The events of documents that may have a new text."""
EVENTS_AT_ONCE = 100
"""Maximum number of events whose texts the worker looks at in one turn of a project."""
TEXTS_AT_ONCE = 20
"""Maximum number of documents whose texts it reads, and stores what it computed of, at once."""
TURN_SECONDS = 1.0
"""How long the worker computes origins for one project before it is another project's turn."""


@_of_provenance(
    "GET /documents/<id>/provenance", query=ProvenanceQuery, rest_query=VersionQuery, toolsets=("reviewing",)
)
def get_provenance(ctx: Context, document_id: str, fields: Fields) -> Result[ProvenanceResponse]:
    """Read who wrote each paragraph of a document."""
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    body = ctx.store[Bodies].get(ctx.project_id, content_id_of(ctx, document, version))
    written = provenance_of(ctx, body)
    answer = {
        "version": version,
        "words": written.words(),
        "people": written.words(WriterKind.PERSON),
        "agents": written.words(WriterKind.AGENT),
        "paragraphs": written.paragraphs,
    }
    return Result(cast(ProvenanceResponse, in_part(answer, "paragraphs", fields)))


def provenance_of(ctx: Context, body: StoredBody | None) -> Provenance:
    """Returns who wrote a document's content, None being no content; outside of a transaction, as `attributed`."""
    return attributed(ctx, body)[0]


def attributed(
    ctx: Context, body: StoredBody | None, *versions: int, count: Callable[[str, Sequence[Writer]], int] = words_in
) -> tuple[Provenance, Mapping[int, AttributedRevision]]:
    """Returns who wrote a document's content, and the versions that it goes back to with further ones, in one read.

    `count` counts the words of a paragraph, given those who wrote it.
    Outside of a transaction: where nobody computed its origins before, they are computed and stored.
    """
    if body is None:
        return Provenance([]), {}
    origins = load_origins(_origins(ctx, body["documentId"], body["id"], body.get("origins")))
    named = rules.versions_in(reduce(or_, set(origins), 0))
    revisions = ctx.store[AttributedRevisions].get_many(ctx.project_id, body["documentId"], {*named, *versions})
    with processing(ctx, body["text"]):
        return rules.provenance_of(rules.paragraphs_of(body["text"]), count, origins, revisions), revisions


def origins_of(ctx: Context, contents: Mapping[str, str]) -> dict[str, str]:
    """Returns the origins of contents; both are by the document's id. Computes those that nobody did before."""
    stored = ctx.store[Bodies].get_origins(ctx.project_id, contents.values())
    return {one: _origins(ctx, one, content_id, stored.get(content_id)) for one, content_id in contents.items()}


def _origins(ctx: Context, document_id: str, content_id: str, stored: str | None) -> str:
    if stored is not None:
        return stored
    *_, computed = compute_origins(ctx, document_id, content_id)
    return computed


def compute_origins(ctx: Context, document_id: str, content_id: str) -> Iterator[str]:
    """Computes the origins of a content, before it those of the texts that it goes back to; stores and yields each.

    What is stored stays, so another call goes on where one was interrupted, and two at once store the same.
    Raises `WriteConflict` where the document is gone.
    """
    contents = ctx.store[AttributedRevisions].contents(ctx.project_id, [document_id]).get(document_id, {})
    for text_id, computed in _computed(ctx, ancestry(contents, content_id), {}):
        ctx.store[Bodies].set_origins(ctx.project_id, {text_id: computed})
        yield computed


def _computed(ctx: Context, texts: Sequence[WrittenText], known: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """Yields the origins of the last of texts that replaced each other, first those of all that lack theirs.

    Each comes with the id of its text. `known` are origins that were read already. They have to be stored in this
    order: bisection finds the first text that lacks its origins.
    """

    def stored(text: WrittenText) -> str | None:
        if text.content_id in known:
            return known[text.content_id]
        return ctx.store[Bodies].get_origins(ctx.project_id, [text.content_id]).get(text.content_id)

    old, origins, first = list[bytes](), list[int](), len(texts) - 1
    if first and stored(texts[first - 1]) is None:
        first = bisect_left(texts, True, hi=first - 1, key=lambda text: stored(text) is None)
    if first:
        old, origins = _digests(ctx, texts[first - 1]), load_origins(stored(texts[first - 1]) or "")
    for text in texts[first:]:
        new = _digests(ctx, text)
        old, origins = new, origins_after(origins, old, new, text.version)
        yield text.content_id, dump_origins(origins)


def _digests(ctx: Context, text: WrittenText) -> list[bytes]:
    markdown = markdown_of(ctx, text.content_id)
    with processing(ctx, markdown):
        return digests_of(markdown)


def attribute_new_texts(store: Store, project_id: str, after: int) -> int:
    """Computes the origins of what was written since an event of the feed, so that nobody waits for them later.

    For the worker: `TURN_SECONDS` at most, and no more than a page of the feed. Returns 1 where there may be more.
    """
    ends = monotonic() + TURN_SECONDS
    ctx = Context(store, system(project_id, ""), Channel.WORKER)
    events, last = store[Events].page(project_id, after, EVENTS_AT_ONCE)
    written = {event["data"]["documentId"] for event in events if event["type"] in BRING_TEXTS}
    documents = store[Documents].get_many(project_id, written)
    contents = {one: content_id for one, row in documents.items() if (content_id := row.get("contentId"))}
    stored = store[Bodies].get_origins(project_id, contents.values())
    lacking = [one for one, content_id in contents.items() if stored.get(content_id) is None]
    for start in range(0, len(lacking), TEXTS_AT_ONCE):
        batch = {one: contents[one] for one in lacking[start : start + TEXTS_AT_ONCE]}
        computed = dict[str, str]()
        for text_id, origins in _compute_many(ctx, batch):
            computed[text_id] = origins
            if monotonic() > ends:
                break
        store[Bodies].set_origins(project_id, computed)
        if monotonic() > ends:
            return 1
    store[Events].note_attributed(project_id, last)
    return int(len(events) == EVENTS_AT_ONCE)


def _compute_many(ctx: Context, contents: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Computes the origins of contents by their document's id, with as many reads as for one; yields as `_computed`."""
    versions = ctx.store[AttributedRevisions].contents(ctx.project_id, contents)
    texts = {one: ancestry(versions.get(one, {}), content_id) for one, content_id in contents.items()}
    ends = [text.content_id for each in texts.values() for text in each[-2:]]
    ctx.store[Bodies].get_short_texts(ctx.project_id, ends)  # they are cached then
    stored = ctx.store[Bodies].get_origins(ctx.project_id, {*ends} - {*contents.values()})  # which have none
    for each in texts.values():
        yield from _computed(ctx, each, stored)


def review_of(
    ctx: Context, document: StoredDocument, sent: Fields, body: StoredBody | None, written: Provenance
) -> HumanReview:
    """Returns the record of a review: what the person attests, and what the service knows of the document's version.

    `body` is its content, and `written` who wrote that.
    """
    markdown = body["text"] if body else ""
    outcomes = Counter(one["outcome"] for one in checks_of(ctx, document, check_levels(ctx), markdown))
    resolved = ctx.store[Threads].list(ctx.project_id, document["id"], [ThreadState.RESOLVED])
    suggestions = Counter(thread["outcome"] for thread in resolved)
    agents = written.words(WriterKind.AGENT)
    attested = {"facts": sent["facts"], "examined": sent.get("examined") or ""}
    review: Any = {
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
    return cast(HumanReview, review | ctx.features.added("review", ctx, document, markdown))


@_of_provenance("GET /documents/<id>/review-record", query=VersionQuery, toolsets=("reviewing",))
def get_review_record(ctx: Context, document_id: str, fields: Fields) -> Result[VersionReview]:
    """Read the record of a person's review, by default of the newest version that has one."""
    document = own_document(ctx, document_id)
    if "version" in fields:
        revision = cast(AttributedRevision, own_revision(ctx, document["id"], fields["version"]))
    else:
        newest = ctx.store[AttributedRevisions].newest_reviewed(ctx.project_id, document["id"])
        revision = or_raise(newest, NotFound, "No version of the document has the record of a review.", "version")
    review = or_raise(revision.get("review"), NotFound, "This version has no record of a review.", "version")
    version = revision["version"]
    current = version == document["version"]
    return Result({**review, "documentId": document["id"], "version": version, "current": current})


@_of_provenance("GET /disclosures", query=DisclosureQuery, as_csv=disclosures_csv, toolsets=("admin",))
def list_disclosures(ctx: Context, fields: Fields) -> Result[list[DisclosureRow]]:
    """List what is disclosed of everything that is live, the newest first."""
    since, until = fields.get("from_"), fields.get("to")
    found = ctx.store[Disclosures].published_between(
        ctx.project_id,
        datetime.combine(date.fromisoformat(since), time.min, UTC) if since else None,
        datetime.combine(date.fromisoformat(until), time.max, UTC) if until else None,
        limit=fields["limit"],
        offset=fields["offset"],
    )
    return Result([disclosure_row(publication) for publication in found])
