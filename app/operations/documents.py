"""Documents: read, listed, edited, moved to the trash and back (decisions, section 5)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any

from app.errors import (
    BadRequest,
    BriefClaimed,
    InvalidTransition,
    NotFound,
    SlugTaken,
    VersionConflict,
    WriteConflict,
    or_raise,
)
from app.fields.documents import DocumentChanges, DocumentQuery
from app.fields.loading import Fields, changed_fields, check
from app.operations.context import Context
from app.operations.operation import Effect, Result, operation
from app.operations.references import lock_references
from app.records.documents import Document, DocumentSummary, document_summary, document_text_ids
from app.rules.briefs import MoveRequest
from app.rules.documents import (
    PUBLISHED_FIELDS,
    UNSCHEDULED,
    StoredDocument,
    delivers_at_once,
    if_guarded,
    if_not_deleted,
    if_not_editable,
    if_outdated,
    if_slug_taken,
    if_status_closed,
    slug_taken,
    status_before,
)
from app.rules.etags import document_tag
from app.rules.events import Event
from app.rules.publishing import previous_slug
from app.rules.references import reference_problems
from app.rules.times import read_time
from app.rules.words import search_words
from app.vocabulary import DocumentStatus, Scope

document_change = partial(operation, effect=Effect.CHANGES, with_texts=Document)
"""Declares an operation that changes a document and returns it."""

NO_DOCUMENT = "The project has no such document: check the id, or it was deleted."


@operation(Scope.READ, Effect.READS, query=DocumentQuery)
def list_documents(ctx: Context, fields: Fields) -> Result[list[DocumentSummary]]:
    """List documents, the most recently changed first, without their long texts.

    Filters narrow the list together; `q` finds whole words. A page shorter than `limit` is the last one.
    """
    filters = dict(fields)
    if (since := fields.get("updatedSince")) is not None:
        filters["updatedSince"] = read_time(since)
    if words := search_words(fields.get("q", "")):
        filters["words"] = words
    elif fields.get("q"):
        return Result([], total=0 if fields.get("count") else None)
    total = ctx.store.documents.count(ctx.project_id, filters, ctx.now) if fields.get("count") else None
    found = ctx.store.documents.list(
        ctx.project_id, filters, ctx.now, sort=fields["sort"], limit=fields["limit"], offset=fields["offset"]
    )
    return Result([document_summary(document, ctx.caller.team_id, ctx.now) for document in found], total=total)


def documents_by_day(
    ctx: Context, filters: Fields, first: date, last: date, *, limit: int
) -> dict[str, list[DocumentSummary]]:
    """Returns what is due, scheduled and published in some days, at most so many of each, for a calendar.

    `filters` are those of the list of documents. What is scheduled or published is not listed as due once more.
    """
    since, before = (datetime.combine(one, time(), UTC) for one in (first, last + timedelta(days=1)))
    dated = partial(ctx.store.documents.dated, since=since, before=before, limit=limit)
    not_due = (DocumentStatus.SCHEDULED, DocumentStatus.PUBLISHED)
    statuses = [status for status in DocumentStatus if status not in not_due]
    due = {**filters, "status": statuses, "dueAfter": first.isoformat(), "dueBefore": last.isoformat()}
    found = {
        "due": ctx.store.documents.list(ctx.project_id, due, ctx.now, sort="dueDate", limit=limit, offset=0),
        "scheduled": dated(ctx.project_id, filters, ctx.now, time="publishAt"),
        "published": dated(ctx.project_id, filters, ctx.now, time="publishedAt"),
    }
    return {kind: [document_summary(one, ctx.caller.team_id, ctx.now) for one in rows] for kind, rows in found.items()}


@operation(Scope.READ, Effect.READS, with_texts=Document)
def get_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Read a document.

    `version` is the `baseVersion` of the next content write.
    """
    return document_result(ctx, own_document(ctx, document_id))


@document_change(
    Scope.WRITE,
    body=DocumentChanges,
    errors=(BriefClaimed, VersionConflict, InvalidTransition, SlugTaken, BadRequest),
    transaction=True,
    refusals=(if_guarded,),
)
def update_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Change fields of a document; null clears one, those that are not sent stay.

    Changing a published field makes a new version, and is refused in `approved` and `scheduled`. `status` moves only
    among `idea`, `planned` and `drafting`. Agents can't change a published field in `review`.
    """
    document = ctx.check_match(own_document(ctx, document_id))
    sent = {name: value for name, value in fields.items() if name != "baseVersion"}
    changes = changed_fields(document, sent, clearable=("subtitle", "metaTitle", "metaDescription", "excerpt"))
    if refused := edit_refusal(document, fields, changes, ctx.move_request):
        raise refused
    found = lock_references(ctx.store, ctx.project_id, changes)
    check(DocumentChanges, fields, *reference_problems(changes, found))
    if not changes:
        return document_result(ctx, document)
    return document_result(
        ctx, write_version(ctx, document, changes, ctx.event("document.updated", {"fields": sorted(changes)}))
    )


@operation(Scope.PUBLISH, Effect.DESTROYS, with_texts=Document, transaction=True, refusals=())
def delete_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Move a document to the trash: it is gone from every list and from delivery, and can be restored.

    A scheduled one is unscheduled. The response is the document as it was.
    """
    document = ctx.check_match(own_document(ctx, document_id))
    status = document["status"]
    status = status_before(document) if status == DocumentStatus.SCHEDULED else status
    changes = {"deletedAt": ctx.now, "status": status, **UNSCHEDULED}
    event = ctx.event("document.deleted", previous_slug(document, None))
    or_raise(ctx.store.documents.change(ctx.project_id, document, changes, event), WriteConflict)
    if document["isPublished"]:
        ctx.store.projects.delivery_changed(ctx.project_id)
    return document_result(ctx, document)


@document_change(
    Scope.PUBLISH, errors=(InvalidTransition, SlugTaken), transaction=True, refusals=(if_not_deleted, if_slug_taken)
)
def restore_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Take a document out of the trash, as it was: delivered again if it was.

    A category or cluster that is gone meanwhile is null. Refused while another document has its slug.
    """
    document = ctx.store.documents.get_trashed(ctx.project_id, document_id) or own_document(ctx, document_id)
    if refused := if_not_deleted(document, ctx.move_request):
        raise refused
    ctx.check_match(document)
    taken = ctx.store.documents.find_taken_slugs(ctx.project_id, document["slugs"], exclude=document["id"])
    if refused_slug := if_slug_taken(document, replace(ctx.move_request, taken_slugs=taken)):
        raise refused_slug
    changes, event = _references_now(ctx, document), ctx.event("document.restored")
    restored = or_raise(ctx.store.documents.restore(ctx.project_id, document, changes, event), WriteConflict)
    if restored["isPublished"]:
        ctx.store.projects.delivery_changed(ctx.project_id)
    return document_result(ctx, restored)


def own_document(ctx: Context, document_id: str) -> StoredDocument:
    """Returns a stored document of the caller's project that is not in the trash; else refuses with `NotFound`."""
    return or_raise(ctx.store.documents.get(ctx.project_id, document_id), NotFound, NO_DOCUMENT)


def document_result(ctx: Context, document: StoredDocument, content: str | None = None) -> Result[DocumentSummary]:
    """Returns the result that shows a whole document; `content` is its current content, if that was read already."""
    body_id = document.get("contentId")
    return Result(
        document_summary(document, ctx.caller.team_id, ctx.now),
        etag=document_tag(document, ctx.now),
        text_ids=document_text_ids(document),
        texts={body_id: content} if body_id is not None and content is not None else {},
    )


def write_version(
    ctx: Context, document: StoredDocument, changes: dict[str, Any], event: Event, *, reverts: str | None = None
) -> StoredDocument:
    """Writes changes of a document, as a new version where what is published changes; inside a transaction.

    `reverts` is the id of the token whose work the version undoes.

    Refuses with `SlugTaken`; raises `WriteConflict` when the document changed since it was read.
    """
    if "slug" in changes:
        if taken := ctx.store.documents.find_taken_slugs(ctx.project_id, [changes["slug"]], exclude=document["id"]):
            raise slug_taken(taken)
        delivered = document.get("snapshot")
        slugs = {changes["slug"], delivered["slug"] if delivered else changes["slug"]}
        changes = changes | {"slugs": sorted(slugs)}
    changes = changes | next_version(document, changes)
    written = or_raise(ctx.store.documents.change(ctx.project_id, document, changes, event), WriteConflict)
    if "version" in changes:
        ctx.store.revisions.add(ctx.project_id, written, at=ctx.now, by=ctx.caller.actor, reverts=reverts)
    if delivers_at_once(document, changes):
        ctx.store.projects.delivery_changed(ctx.project_id)
    return written


def next_version(document: StoredDocument, changes: Fields) -> dict[str, Any]:
    """Returns the version that changes of a document make; nothing where what is published stays the same."""
    return {"version": document["version"] + 1} if _published(changes) else {}


def edit_refusal(
    document: StoredDocument, fields: Fields, changes: Fields, request: MoveRequest
) -> BriefClaimed | VersionConflict | InvalidTransition | None:
    """Returns the first reason, in the contract's order, why fields can't be changed now; None when they can."""
    if refused := if_guarded(document, request) or if_outdated(document, fields.get("baseVersion")):
        return refused
    if "status" in fields and (closed := if_status_closed(document, fields["status"], request)):
        return closed
    return if_not_editable(document, request) if _published(changes) else None


def _published(changes: Mapping[str, Any]) -> bool:
    return any(name in changes for name in (*PUBLISHED_FIELDS, "contentId"))


def _references_now(ctx: Context, document: StoredDocument) -> dict[str, Any]:
    """Returns the references of a document, and of its snapshot, to clear: what they name was deleted meanwhile."""
    snapshot = document.get("snapshot")
    found = lock_references(ctx.store, ctx.project_id, document, snapshot or {})
    named = (
        ("categoryId", document.get("categoryId"), found.categories),
        ("clusterId", document.get("clusterId"), found.clusters),
        ("snapshot.categoryId", snapshot and snapshot["categoryId"], found.categories),
    )
    return {name: None for name, record_id, exist in named if record_id and record_id not in exist}
