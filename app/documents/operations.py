"""Documents: read, listed, edited, moved to the trash and back (decisions, section 5)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from operator import itemgetter
from typing import Any

from app.categories.references import lock_references, reference_problems
from app.core.calls import Call
from app.core.context import Context
from app.core.errors import (
    BadRequest,
    BriefClaimed,
    InvalidTransition,
    NotFound,
    SlugTaken,
    VersionConflict,
    or_raise,
)
from app.core.events import Event
from app.core.features import Extension
from app.core.operation import Effect, Operation, Result, Shown, operation
from app.core.records import tag_of
from app.core.schemas.loading import Fields, changed_fields, in_order, problems
from app.core.store.bodies import Bodies
from app.core.text.words import query_words
from app.core.times import read_time
from app.core.vocabulary import Channel, DocumentStatus, Scope
from app.documents import edits as rules
from app.documents.creation import new_document
from app.documents.edits import edit_document, refuse_edit, refuse_restore
from app.documents.publishing_rules import restored_publication
from app.documents.record import Decision, Origin, StoredDocument, delivered_at_once, document_event
from app.documents.responses import Document, DocumentSummary, document_line, document_summary, document_text_ids
from app.documents.schemas import DocumentChanges, DocumentQuery, ListQuery
from app.documents.store import Documents, Revisions
from app.projects.gates import Attempt
from app.publications.store import Publications

NewRow = tuple[dict[str, Any], str, Sequence[Event], Origin]
"""A document to create: its record, its markdown, its events, and how its first version comes about."""

NO_FIELDS: Fields = {}

NO_DOCUMENT = ("The project has no such document: check the id, or it was deleted.", "documentId")


def document_change(
    scope: Scope, route: str = "", **declaration: Any
) -> Callable[[Callable[..., Result[Shown]]], Operation[Shown]]:
    """Declares an operation that changes a document and returns it."""
    return operation(scope, Effect.CHANGES, route, **{"with_texts": Document, **declaration})


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents",
    query=ListQuery,
    rest_query=DocumentQuery,
    short=document_line,
    toolsets=("planning", "reviewing"),
)
def list_documents(ctx: Context, fields: Fields) -> Result[list[DocumentSummary]]:
    """List documents, the most recently changed first.

    `q` finds words, the last one by its beginning.
    """
    filters = dict(fields)
    if (since := fields.get("updatedSince")) is not None:
        filters["updatedSince"] = read_time(since)
    filters["words"], filters["beginning"] = query_words(fields.get("q", ""))
    filters["ids"] = ctx.features.ids_found(ctx, fields)
    total = ctx.store[Documents].count(ctx.project_id, filters) if fields.get("count") else None
    found = ctx.store[Documents].list(
        ctx.project_id, filters, sort=fields["sort"], limit=fields["limit"], offset=fields["offset"]
    )
    return Result([document_summary(ctx, document) for document in found], total=total)


def documents_by_day(
    ctx: Context, filters: Fields, first: date, last: date, *, limit: int
) -> dict[str, list[DocumentSummary]]:
    """Returns what is due, scheduled and published in some days, at most `limit` of each, for a calendar.

    `filters` are those of the list of documents. What is scheduled or published is not listed as due once more.
    """
    since, before = (datetime.combine(one, time(), UTC) for one in (first, last + timedelta(days=1)))
    dated = partial(ctx.store[Documents].dated, since=since, before=before, limit=limit)
    not_due = (DocumentStatus.SCHEDULED, DocumentStatus.PUBLISHED)
    statuses = [status for status in DocumentStatus if status not in not_due]
    due = {**filters, "status": statuses, "dueAfter": first.isoformat(), "dueBefore": last.isoformat()}
    found = {
        "due": ctx.store[Documents].list(ctx.project_id, due, sort="dueDate", limit=limit, offset=0),
        "scheduled": dated(ctx.project_id, filters, time="publishAt"),
        "published": dated(ctx.project_id, filters, time="publishedAt"),
    }
    return {kind: [document_summary(ctx, one) for one in rows] for kind, rows in found.items()}


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>",
    with_texts=Document,
    toolsets=("planning", "reviewing"),
    next="Its content: `read_document_content`.",
)
def get_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Read a document.

    `version` is the `baseVersion` of the next content write.
    """
    return document_result(ctx, own_document(ctx, document_id))


@document_change(
    Scope.WRITE,
    "PATCH /documents/<id>",
    body=DocumentChanges,
    errors=(BriefClaimed, VersionConflict, InvalidTransition, SlugTaken, BadRequest),
    transaction=True,
    rule=partial(refuse_edit, changes={}),
    toolsets=("writing", "planning"),
)
def update_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Change fields of a document; null clears one.

    Published fields: not in `approved` and `scheduled`, nor by agents in `review`.
    """

    def edit(document: StoredDocument) -> Decision:
        sent = {name: value for name, value in fields.items() if name != "baseVersion"}
        changes = changed_fields(document, sent, clearable=("subtitle", "metaTitle", "metaDescription", "excerpt"))
        found = lock_references(ctx.store, ctx.project_id, changes)
        wrong = in_order([*problems(DocumentChanges, fields), *reference_problems(changes, found)])
        call = with_taken_slugs(ctx, document, [changes["slug"]]) if "slug" in changes else ctx.call
        call = Attempt(ctx, document, call, changes).call_for("update_document")
        base = fields.get("baseVersion")
        return edit_document(document, call, changes, status=fields.get("status"), base_version=base, problems=wrong)

    return change_document(ctx, own_document(ctx, document_id), edit)


@operation(
    Scope.PUBLISH,
    Effect.DESTROYS,
    "DELETE /documents/<id>",
    with_texts=Document,
    transaction=True,
    rule=rules.delete_document,
    toolsets=("reviewing",),
    next="Only when asked to. `restore_document` undoes it.",
)
def delete_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Move a document to the trash: it is gone from lists and delivery, and can be restored."""
    document = ctx.check_match(own_document(ctx, document_id))
    publication = None
    if document["isPublished"]:
        ctx.store.change_delivery(ctx.project_id)
        publication = ctx.store[Publications].remove(ctx.project_id, document["id"])
    trashed = change_document(ctx, document, partial(rules.delete_document, call=ctx.call, publication=publication))
    return replace(document_result(ctx, document), etag=trashed.etag)  # which restoring it can name


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/restore",
    errors=(InvalidTransition, SlugTaken),
    transaction=True,
    rule=refuse_restore,
    publishes=itemgetter("isPublished"),
    toolsets=("reviewing",),
)
def restore_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Take a document out of the trash, as it was.

    Where you could not publish it, it is not delivered again. A category or cluster that is gone meanwhile is null.
    """
    document = ctx.store[Documents].get_trashed(ctx.project_id, document_id) or own_document(ctx, document_id)

    def restore(document: StoredDocument) -> Decision:
        call = with_taken_slugs(ctx, document, document["slugs"])
        call = Attempt(ctx, document, call).call_for("restore_document")
        decision = rules.restore_document(document, call, _references_now(ctx, document))
        if decision.document["isPublished"]:
            ctx.store.change_delivery(ctx.project_id)
        return decision

    restored = write_decision(ctx, ctx.check_match(document), restore)
    publication = document.get("trashedPublication")
    if publication and not restored["isPublished"]:
        ctx.store[Bodies].delete(ctx.project_id, publication["htmlId"])
    elif publication:
        ctx.store[Publications].put(ctx.project_id, restored_publication(publication, restored))
    return document_result(ctx, restored)


def own_document(ctx: Context, document_id: str) -> StoredDocument:
    """Returns a stored document of the caller's project that is not in the trash; else refuses with `NotFound`."""
    return or_raise(ctx.store[Documents].get(ctx.project_id, document_id), NotFound, *NO_DOCUMENT)


def document_result(ctx: Context, document: StoredDocument, content: str | None = None) -> Result[DocumentSummary]:
    """Returns the result that shows a whole document; `content` is its current content, if that was read already."""
    body_id = document.get("contentId")
    return Result(
        document_summary(ctx, document),
        etag=tag_of(document),
        text_ids=document_text_ids(document),
        texts={body_id: content} if body_id is not None and content is not None else {},
    )


def change_document(ctx: Context, document: StoredDocument, rule: Callable[[StoredDocument], Decision]) -> Result[Any]:
    """Writes what a rule decides about a document that was read, and returns the document as it is then.

    Refuses with `PreconditionFailed` where the caller holds another state of it, and as the rule does; raises
    `WriteConflict` when it changed since it was read: the operation then runs again.
    """
    return document_result(ctx, write_decision(ctx, ctx.check_match(document), rule))


def prepare_extensions(operation: str, ctx: Context, *arguments: Any) -> Mapping[Extension, Any]:
    """Does the slow work of what features add to an operation, as its `prepare`."""
    return {one: one.prepare(ctx, *arguments) for one in ctx.features.extensions_of(operation) if one.prepare}


def extended(ctx: Context, operation: str, document: StoredDocument, decision: Decision, fields: Fields) -> Decision:
    """Returns what an operation's rule decided about a document, with what features add to it."""
    for one in ctx.features.extensions_of(operation):
        if one.decide:
            own = replace(ctx, prepared=ctx.prepared[one]) if one.prepare else ctx
            decision = one.decide(own, document, decision, fields)
    return decision


def write_decision(
    ctx: Context,
    before: StoredDocument,
    rule: Callable[[StoredDocument], Decision],
    *,
    fields: Fields = NO_FIELDS,
    origin: Origin = NO_FIELDS,
) -> StoredDocument:
    """Writes what a rule decides about a document that was read, and returns the document as it is then.

    That is its record with the events, and a new version where the rule made one, with what `origin_of` knows of the
    `fields` of the request, and `origin`. Raises as `change_document` does, whatever state of it the caller holds.
    """
    decision = rule(before)
    if not decision.events:
        return before
    deliver_at_once(ctx, [(before, decision.document)])
    after = ctx.store[Documents].change(ctx.project_id, before, decision.document, decision.events)
    if after["version"] != before["version"]:
        made = {**origin_of(ctx, fields), **origin}
        ctx.store[Revisions].add(ctx.project_id, [(after, decision.events[-1], made)])
    return after


def origin_of(ctx: Context, fields: Fields = NO_FIELDS, draft: Mapping[str, Any] = NO_FIELDS) -> Origin:
    """Returns how the version comes about that this call writes; `draft` is the one that it confirms, if any."""
    origin = ctx.features.added("version", ctx, fields, draft)
    return {**origin, "scripted": True} if ctx.channel == Channel.CLI else origin


def deliver_at_once(ctx: Context, written: Iterable[tuple[StoredDocument, StoredDocument]]) -> None:
    """Updates the delivered fields that need no publishing, before the documents are written.

    `written` has pairs of a document before and after.
    """
    changes = [(before["id"], fields) for before, after in written if (fields := delivered_at_once(before, after))]
    if changes:
        ctx.store.change_delivery(ctx.project_id)
        ctx.store[Publications].change_many(ctx.project_id, changes)


def new_row(
    ctx: Context,
    fields: Fields,
    *,
    slug: str,
    words: int,
    data: Mapping[str, Any] = NO_FIELDS,
    draft: Mapping[str, Any] = NO_FIELDS,
) -> NewRow:
    """Returns a document to create from fields that have no problem; `data` are further details of its event.

    `draft` is the one that it was, if any.
    """
    markdown = fields.get("markdown") or ""
    of_text = fields if markdown else NO_FIELDS
    record = new_document(fields, slug=slug, words=words, call=ctx.call)
    details = {**data, **ctx.features.added("details", of_text)}
    created = document_event("document.created", record, ctx.now, ctx.caller.actor, details)
    return record, markdown, [created], origin_of(ctx, of_text, draft)


def call_under_claim(ctx: Context, fields: Fields) -> Call:
    """Returns the call with the claim that it is made under, where `fields` name one."""
    return replace(ctx.call, claimed_at=fields.get("claimedAt"))


def with_taken_slugs(ctx: Context, document: StoredDocument, slugs: Sequence[str]) -> Call:
    """Returns the call with `taken_slugs`: those of the slugs that other documents have."""
    taken = ctx.store[Documents].find_taken_slugs(ctx.project_id, slugs, exclude=document["id"])
    return replace(ctx.call, taken_slugs=taken)


def _references_now(ctx: Context, document: StoredDocument) -> dict[str, Any]:
    """Returns the fields of a document that was in the trash, without references to what was deleted meanwhile."""
    published = document.get("published")
    found = lock_references(ctx.store, ctx.project_id, document, published or {})
    named = (("categoryId", found.categories), ("clusterId", found.clusters))
    gone: dict[str, Any] = {
        name: None for name, exist in named if (record_id := document.get(name)) and record_id not in exist
    }
    if published and published["categoryId"] not in {None, *found.categories}:
        gone["published"] = {**published, "categoryId": None}
    return gone | {"trashedPublication": None}
