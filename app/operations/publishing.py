"""From review to the website and back: every move of a document's status (decisions, section 5).

Moves of one record are attempted as one atomic write and explained when they fail; publishing and unpublishing write
the snapshot, the record and the project's delivery in one transaction.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from app.errors import (
    BadRequest,
    BriefClaimed,
    ChecksFailed,
    FourEyes,
    InvalidTransition,
    NotFound,
    Problem,
    Refusal,
    ReviewRequired,
    ServiceUnavailable,
    VersionConflict,
    WriteConflict,
)
from app.fields.documents import ChangesRequest, ScheduleFields, SubmitFields, WithBaseVersion
from app.fields.imports import DatedFields
from app.fields.loading import Fields, problems
from app.operations.checks import checks_of, demanded_checks
from app.operations.context import Context, system
from app.operations.documents import document_change, document_result, own_document
from app.operations.guards import publishing_request, request_under_claim
from app.operations.operation import Effect, Result, operation
from app.operations.rendering import Rendering, render_document
from app.operations.revisions import markdown_of
from app.records.documents import DocumentSummary, ScheduleOutcome
from app.rules.briefs import MoveRequest, first_refusal
from app.rules.checks import CheckResult, failed
from app.rules.documents import (
    APPROVE,
    GIVE_UP,
    PUBLISH,
    REQUEST_CHANGES,
    SCHEDULE,
    SUBMIT,
    UNPUBLISH,
    UNSCHEDULE,
    UNSCHEDULED,
    StatusMove,
    StoredDocument,
    if_not_renderable,
    refusal,
)
from app.rules.publishing import Rendered, delivered_words, past_slugs, previous_slug, snapshot
from app.rules.times import read_time, wire_time
from app.store.store import Store
from app.vocabulary import Channel, DocumentStatus, Scope

PUBLISHING = (partial(refusal, PUBLISH), if_not_renderable)
"""Why publishing is refused, in the contract's order."""

DUE_AT_ONCE = 100
"""The most documents of one project that are published in one turn."""
PUBLISH_TURN_SECONDS = 1.0
"""How long the documents of one project are published before it is another project's turn."""


@dataclass(frozen=True)
class _Checked:
    """The failures of the checks that the project demands, of a document in one state; None for no document."""

    rev: int | None
    failed: Sequence[CheckResult] = ()


def _check(ctx: Context, document_id: str, fields: Fields) -> _Checked | None:
    """Runs the checks that the project demands, unless submitting will be refused without them; None for no checks."""
    levels = demanded_checks(ctx.store.projects.recent_settings(ctx.project_id))
    if not levels:
        return None
    document = ctx.store.documents.get(ctx.project_id, document_id)
    if document is None or refusal(SUBMIT, document, request_under_claim(ctx, fields)):
        return _Checked(None)
    markdown = markdown_of(ctx, document.get("contentId"))
    return _Checked(document["rev"], failed(checks_of(ctx, document, levels, markdown)))


@document_change(
    Scope.WRITE,
    body=SubmitFields,
    errors=(BriefClaimed, InvalidTransition, BadRequest, ChecksFailed),
    prepare=_check,
    refusals=(partial(refusal, SUBMIT),),
)
def submit_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Submit a document for review.

    It must have content, and pass the checks that the project demands. A claimed brief becomes `drafted` and the claim
    ends. A published document can be submitted when it has unpublished changes; it is delivered as it was.
    """
    request, document = request_under_claim(ctx, fields), None
    checked: _Checked | None = ctx.prepared
    if checked is not None:
        document = own_document(ctx, document_id)
        if document["rev"] != checked.rev:
            ctx.check_match(document)
            raise refusal(SUBMIT, document, request) or WriteConflict
        request = replace(request, failed_checks=checked.failed)
    changes = {"submittedBy": ctx.caller.actor, "review": None}
    return _move(ctx, document_id, SUBMIT, request, document=document, changes=changes)


@document_change(
    Scope.PUBLISH,
    body=WithBaseVersion,
    errors=(VersionConflict, InvalidTransition, FourEyes, BadRequest),
    refusals=(partial(refusal, APPROVE),),
)
def approve_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Approve a document as it is: from now on its content stays until it is published or changes are requested.

    With `baseVersion`, what you read is what goes out.
    """
    project = ctx.store.projects.settings(ctx.project_id)
    document = own_document(ctx, document_id) if project.get("fourEyes") else None
    request = publishing_request(ctx, document, project) if document else ctx.move_request
    return _move(ctx, document_id, APPROVE, request, document=document, base_version=fields.get("baseVersion"))


@document_change(
    Scope.PUBLISH, body=ChangesRequest, errors=(InvalidTransition,), refusals=(partial(refusal, REQUEST_CHANGES),)
)
def request_changes(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Send a document back to drafting, with a note that says what has to change.

    From `review` or `approved`. The note is the document's `reviewNote` until the next one.
    """
    note = fields.get("note") or ""
    review = {"note": note, "at": ctx.now, "by": ctx.caller.actor}
    changes = {"reviewNote": note or None, "review": review}
    return _move(ctx, document_id, REQUEST_CHANGES, ctx.move_request, changes=changes)


@document_change(
    Scope.PUBLISH,
    body=ScheduleFields,
    errors=(VersionConflict, InvalidTransition, FourEyes, ReviewRequired, BadRequest),
    refusals=(partial(refusal, SCHEDULE),),
    publishes=True,
)
def schedule_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Schedule a document to be published at a time in the future.

    Until then its content can't be changed; unschedule it first. With `baseVersion`, what you read is what goes out.
    """
    wrong = problems(ScheduleFields, fields)
    at = None if wrong else read_time(fields["publishAt"])
    if at is not None and at <= ctx.now:
        wrong = [Problem(field="publishAt", message="Must be in the future.")]
    project = ctx.store.projects.settings(ctx.project_id)
    document = own_document(ctx, document_id) if wrong or project.get("fourEyes") else None
    request = publishing_request(ctx, document, project)
    base = fields.get("baseVersion")
    if wrong and document:
        ctx.check_match(document)
        refused = refusal(SCHEDULE, document, request, base)
        if refused and not isinstance(refused, BadRequest):
            raise refused
        raise BadRequest(errors=[*(refused.extra["errors"] if refused else ()), *wrong])
    return _move(
        ctx,
        document_id,
        SCHEDULE,
        request,
        document=document,
        changes={"publishAt": at},
        base_version=base,
        event_data={"publishAt": wire_time(at)} if at else {},
    )


@document_change(Scope.PUBLISH, errors=(InvalidTransition,), refusals=(partial(refusal, UNSCHEDULE),))
def unschedule_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Unschedule a document: it gets the status back that it had before."""
    return _move(ctx, document_id, UNSCHEDULE, ctx.move_request, changes=UNSCHEDULED)


@document_change(
    Scope.PUBLISH,
    body=WithBaseVersion,
    errors=(VersionConflict, InvalidTransition, FourEyes, ReviewRequired, BadRequest),
    transaction=True,
    prepare=render_document,
    refusals=PUBLISHING,
    publishes=True,
)
def publish_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Publish a document now: its content as it is becomes what the website gets.

    A scheduled one is published early. With `baseVersion`, what you read is what goes out. In a project that demands
    approval, only an approved document is published. Markdown whose html would be over 15 MB can't be.
    """
    document = ctx.check_match(own_document(ctx, document_id))
    if obstacle := _obstacle(ctx, document, fields.get("baseVersion")):
        raise obstacle
    return _publish(ctx, document)


@document_change(
    Scope.PUBLISH,
    body=DatedFields,
    errors=(InvalidTransition, ReviewRequired, BadRequest),
    transaction=True,
    prepare=render_document,
)
def publish_dated(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Publish a document that was live elsewhere before, with the time it went live there. For `import --publish`.

    One that is live already keeps its own time.
    """
    document = own_document(ctx, document_id)
    if obstacle := _obstacle(ctx, document):
        raise obstacle
    return _publish(ctx, document, read_time(fields["publishedAt"]))


@document_change(Scope.PUBLISH, errors=(InvalidTransition,), transaction=True, refusals=(partial(refusal, UNPUBLISH),))
def unpublish_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Take a document off the website; a published one is in drafting again, others keep their status."""
    document = own_document(ctx, document_id)
    changes: dict[str, Any] = {"isPublished": False, "publishedAt": None, "snapshot": None, "deliveredWords": []}
    return _change_delivery(ctx, document, UNPUBLISH, changes, slug=None)


@operation(Scope.PUBLISH, Effect.CHANGES, transaction=True, prepare=render_document)
def publish_scheduled(ctx: Context, document_id: str) -> Result[ScheduleOutcome]:
    """Publish a scheduled document whose time has come; one that can't be goes back to drafting. For the worker.

    What was moved meanwhile is left alone, and everything in a project that was frozen meanwhile: `NotFound`.
    """
    if ctx.store.projects.settings(ctx.project_id).get("frozen"):
        raise NotFound
    document = own_document(ctx, document_id)
    publish_at = document.get("publishAt")
    if document["status"] != DocumentStatus.SCHEDULED or publish_at is None or publish_at > ctx.now:
        raise NotFound
    obstacle = _obstacle(ctx, document)
    if obstacle is None:
        _publish(ctx, document)
    else:
        why = {"reason": obstacle.message}
        _move(ctx, document_id, GIVE_UP, ctx.move_request, document=document, changes=UNSCHEDULED, event_data=why)
    return Result({"id": document["id"], "reason": None if obstacle is None else obstacle.message})


def publish_due(store: Store, project_id: str, now: datetime) -> Iterator[tuple[str, str | None]]:
    """Publishes documents of a project that are due, the longest due first, until `PUBLISH_TURN_SECONDS` are over.

    Yields the id of each, with the reason why it was not published, or None; nothing while the project is frozen.
    A document that was begun is finished. Any number of workers may call this at once: each document is
    published by one of them. If a document raises an unexpected error, the others are tried before it is raised again.
    """
    ends = time.monotonic() + PUBLISH_TURN_SECONDS
    unexpected: list[Exception] = []
    with store.deadline():
        project = store.projects.settings(project_id)
        due = [] if project.get("frozen") else store.documents.find_due(project_id, now, DUE_AT_ONCE)
    ctx = Context(store, system(project_id, project["teamId"]), Channel.WORKER, now)
    for document_id in due:
        try:
            yield document_id, publish_scheduled(ctx, document_id).body["reason"]
        except NotFound:
            continue
        except ServiceUnavailable:
            raise
        except Exception as error:
            unexpected.append(error)
        if time.monotonic() > ends:
            break
    if unexpected:
        raise unexpected[0]


def _obstacle(ctx: Context, document: StoredDocument, base_version: int | None = None) -> Refusal | None:
    """Returns why a document can't be published, in the contract's order; None when it can be.

    Raises `WriteConflict` when the document had another content while it was rendered.
    """
    request = publishing_request(ctx, document, ctx.store.projects.settings(ctx.project_id))
    if refused := refusal(PUBLISH, document, request, base_version):
        return refused
    rendering: Rendering | None = ctx.prepared
    if rendering is None or rendering.content_id != document["contentId"]:
        raise WriteConflict
    return first_refusal(PUBLISHING, document, replace(request, not_renderable=rendering.text is None))


def _publish(ctx: Context, document: StoredDocument, live_since: datetime | None = None) -> Result[DocumentSummary]:
    """Makes a document's present content what is delivered; inside a transaction, when there is no obstacle."""
    text: Rendered = ctx.prepared.text
    html_id = ctx.store.bodies.add(ctx.project_id, document["id"], text.html)
    published_at = document["publishedAt"] or live_since or ctx.now
    delivered = snapshot(document, text, html_id, published_at=published_at, now=ctx.now)
    changes = {
        "isPublished": True,
        "publishedAt": published_at,
        "snapshot": delivered,
        "deliveredWords": delivered_words(delivered),
        **UNSCHEDULED,
    }
    return _change_delivery(ctx, document, PUBLISH, changes, slug=document["slug"])


def _change_delivery(
    ctx: Context, document: StoredDocument, move: StatusMove, changes: dict[str, Any], *, slug: str | None
) -> Result[DocumentSummary]:
    """Makes a move that changes what is delivered, and under which slug if any; inside a transaction."""
    changes |= {"slugs": [document["slug"]], "pastSlugs": past_slugs(document, slug, ctx.now)}
    data = previous_slug(document, slug)
    result = _move(ctx, document["id"], move, ctx.move_request, document=document, changes=changes, event_data=data)
    if replaced := document.get("snapshot"):
        ctx.store.bodies.delete(ctx.project_id, replaced["htmlId"])
    ctx.store.projects.delivery_changed(ctx.project_id)
    return result


def _move(
    ctx: Context,
    document_id: str,
    move: StatusMove,
    request: MoveRequest,
    *,
    document: StoredDocument | None = None,
    changes: Fields | None = None,
    base_version: int | None = None,
    event_data: Fields | None = None,
) -> Result[DocumentSummary]:
    """Makes a move in one write; `document` is what was read where the request's facts are about one state of it."""
    if document is not None:
        ctx.check_match(document)
        if refused := refusal(move, document, request, base_version):
            raise refused
    moved = ctx.store.documents.move(
        ctx.project_id,
        document_id,
        move,
        request,
        changes=changes or {},
        event=ctx.event(move.event, event_data),
        tags=ctx.if_match,
        rev=document and document["rev"],
        base_version=base_version,
    )
    if moved is not None:
        return document_result(ctx, moved)
    if document is not None:
        raise WriteConflict
    present = ctx.check_match(own_document(ctx, document_id))
    raise refusal(move, present, request, base_version) or WriteConflict
