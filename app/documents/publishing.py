"""From review to the website and back: every move of a document's status (decisions, section 5).

The rule of the same name decides each; publishing and unpublishing write the record, what is delivered and the
project's delivery revision in one transaction.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, cast

from app.core.context import Context, system
from app.core.errors import (
    BadRequest,
    BriefClaimed,
    InvalidTransition,
    NotFound,
    Problem,
    Refusal,
    ServiceUnavailable,
    VersionConflict,
    refusal_of,
)
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields, problems
from app.core.store.bodies import Bodies
from app.core.store.collection import new_id
from app.core.store.store import Store
from app.core.times import read_time
from app.core.vocabulary import Channel, DocumentStatus, Scope
from app.documents import publishing_rules as publishing
from app.documents import statuses as rules
from app.documents.operations import (
    NO_DOCUMENT,
    NO_FIELDS,
    call_under_claim,
    change_document,
    document_change,
    document_result,
    extended,
    own_document,
    prepare_extensions,
    write_decision,
)
from app.documents.publishing_rules import not_renderable
from app.documents.record import Decision, StoredDocument
from app.documents.rendering import Rendering, render_document
from app.documents.responses import DocumentSummary, PublishedDocument, PublishedSummary, ScheduleOutcome
from app.documents.schemas import (
    ApproveFields,
    ChangesRequest,
    DatedFields,
    PublishFields,
    ScheduleFields,
    SubmitFields,
)
from app.documents.store import Documents
from app.projects.gates import Attempt
from app.projects.store import Projects
from app.publications.rules import Publication
from app.publications.store import Publications

DUE_AT_ONCE = 100
"""Maximum number of documents of one project that are published in one turn."""
PUBLISH_TURN_SECONDS = 1.0
"""How long the documents of one project are published before it is another project's turn."""


@document_change(
    Scope.WRITE,
    "POST /documents/<id>/submit",
    body=SubmitFields,
    errors=(BriefClaimed, InvalidTransition, BadRequest),
    rule=rules.submit_document,
    toolsets=("writing",),
    next="Others approve and publish.",
    button="Submit for review",
)
def submit_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Submit a document for review.

    It needs content, and must pass the project's checks.
    """
    document = own_document(ctx, document_id)
    attempt = Attempt(ctx, document, call_under_claim(ctx, fields), fields, recent=True)

    def submit(present: StoredDocument) -> Decision:
        decision = rules.submit_document(present, attempt.call_for("submit_document"))
        attempt.refuse_last("submit_document")
        return decision

    return change_document(ctx, document, submit)


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/approve",
    body=ApproveFields,
    errors=(VersionConflict, InvalidTransition, BadRequest),
    transaction=True,
    prepare=partial(prepare_extensions, "approve_document"),
    rule=rules.approve_document,
    toolsets=("reviewing",),
    next="For reviewers: read the content first.",
    button="Approve",
)
def approve_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Approve a document: its content stays until it is published or changes are requested.

    It ends a claim of the brief, and no check prevents it. With `baseVersion`, what you read is what goes out.
    """
    document = own_document(ctx, document_id)
    call = Attempt(ctx, document, ctx.call, fields).call_for("approve_document")

    def approve(present: StoredDocument) -> Decision:
        decision = rules.approve_document(present, call, fields.get("baseVersion"))
        return extended(ctx, "approve_document", present, decision, fields)

    return change_document(ctx, document, approve)


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/request-changes",
    body=ChangesRequest,
    errors=(InvalidTransition,),
    transaction=True,
    rule=rules.request_changes,
    toolsets=("reviewing",),
    next="For reviewers. Then `offer` the brief, or `mark_brief_ready`.",
    button="Request changes",
)
def request_changes(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Send a document back to drafting, with a note that says what has to change.

    From `review` or `approved`.
    """

    def request(present: StoredDocument) -> Decision:
        decision = rules.request_changes(present, ctx.call, fields.get("note") or "")
        return extended(ctx, "request_changes", present, decision, fields)

    return change_document(ctx, own_document(ctx, document_id), request)


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/schedule",
    body=ScheduleFields,
    errors=(VersionConflict, InvalidTransition, BadRequest),
    rule=rules.schedule_document,
    publishes=lambda document: True,
    toolsets=("reviewing",),
    next="Only when asked to.",
    button="Schedule",
)
def schedule_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Schedule a document to be published at a time in the future.

    Until then its content can't be changed. It ends a claim of the brief, and no check prevents it. With `baseVersion`,
    what you read is what goes out.
    """
    wrong = problems(ScheduleFields, fields)
    at = None if wrong else read_time(fields["publishAt"])
    if at is not None and at <= ctx.now:
        wrong = [Problem(field="publishAt", message="Must be in the future.")]
    document = own_document(ctx, document_id)
    rule = partial(
        rules.schedule_document,
        call=Attempt(ctx, document, ctx.call, fields).call_for("schedule_document"),
        at=at,
        base_version=fields.get("baseVersion"),
        problems=wrong,
    )
    return change_document(ctx, document, rule)


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/unschedule",
    errors=(InvalidTransition,),
    rule=rules.unschedule_document,
    toolsets=("reviewing",),
    button="Unschedule",
)
def unschedule_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Unschedule a document: it gets the status back that it had before."""
    return change_document(ctx, own_document(ctx, document_id), partial(rules.unschedule_document, call=ctx.call))


@dataclass(frozen=True)
class Publishable:
    """A document that can be published, as it was read, and what is delivered of it then."""

    document: StoredDocument
    rendering: Rendering
    html: str
    delivered: Publication
    added: Mapping[str, Any]
    """The additions of features to the response."""


@dataclass(frozen=True)
class Unpublishable:
    """A document that can't be published, as it was read, and why; None for a missing one."""

    document: StoredDocument | None
    refusal: Refusal


def prepare_publication(
    ctx: Context, document_id: str, fields: Fields = NO_FIELDS, *, is_due: bool = False
) -> Publishable | Unpublishable:
    """Decides whether a document is published, and renders it; not again what the try before rendered.

    The worker publishes what `is_due` for who scheduled it; what is due no longer is `NotFound`.
    """
    document = ctx.store[Documents].get(ctx.project_id, document_id)
    if document is None or (is_due and not _is_due(document, ctx.now)):
        return Unpublishable(document, NotFound(*NO_DOCUMENT))

    asker = (document.get("scheduledBy") if is_due else None) or ctx.caller.actor
    attempt = Attempt(ctx, document, replace(ctx.call, actor=asker), fields, recent=True)
    call = attempt.call_for("publish_document")
    base = fields.get("baseVersion")
    wrong = problems(PublishFields, fields)
    live_since = read_time(fields["publishedAt"]) if fields.get("publishedAt") and not wrong else None
    if live_since is not None and live_since > ctx.now:
        schedule = ctx.name_of("schedule_document")
        wrong = [Problem(field="publishedAt", message=f"Must not be in the future: {schedule} publishes later.")]
    if refusal := refusal_of(lambda: rules.refuse_move(rules.PUBLISH, ctx.check_match(document), call, base, wrong)):
        return Unpublishable(document, refusal)
    rendering = _rendering(ctx, document)
    if (text := rendering.text) is None:
        return Unpublishable(document, not_renderable())
    before = document.get("firstPublishedAt") if fields.get("keepPublishedAt") else None
    published_at = live_since or document["publishedAt"] or before or ctx.now
    delivered = publishing.publication(document, text, new_id(), published_at=published_at, now=ctx.now)
    added = ctx.features.added("publication", ctx, document, rendering.body)
    markdown = rendering.body["text"] if rendering.body else ""
    shown = {} if is_due else ctx.features.presented(ctx, "publish_document", document, {"markdown": markdown})
    return Publishable(document, rendering, text.html, cast(Publication, {**delivered, **added}), shown)


def _prepare_dated(ctx: Context, document_id: str, fields: Fields) -> Publishable | Unpublishable:
    """Prepares a publication with a date, which does not change that of a document that is live."""
    document = ctx.store[Documents].get(ctx.project_id, document_id)
    return prepare_publication(ctx, document_id, {} if document and document["isPublished"] else fields)


def _rendering(ctx: Context, document: StoredDocument) -> Rendering:
    """Renders a document's content, unless the try before did."""
    if isinstance(ctx.prepared, Publishable):
        before = ctx.prepared.rendering
        if (before.content_id, before.version) == (document["contentId"], document["version"]):
            return before
    return render_document(ctx, document)


def _is_due(document: StoredDocument, now: datetime) -> bool:
    publish_at = document.get("publishAt")
    return document["status"] == DocumentStatus.SCHEDULED and publish_at is not None and publish_at <= now


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/publish",
    body=PublishFields,
    with_texts=PublishedDocument,
    errors=(VersionConflict, InvalidTransition, BadRequest),
    transaction=True,
    prepare=prepare_publication,
    rule=partial(rules.refuse_move, rules.PUBLISH),
    publishes=lambda document: True,
    toolsets=("reviewing",),
    next="Only when asked to.",
)
def publish_document(ctx: Context, document_id: str, fields: Fields) -> Result[PublishedSummary]:
    """Publish a document now: its content as it is becomes what the website gets.

    A scheduled one is published early. It ends a claim of the brief, and no check prevents it. With `baseVersion`, what
    you read is what goes out.
    """
    result: Result[Any] = _publish(ctx)
    return replace(result, body={**result.body, **ctx.prepared.added})


@document_change(
    Scope.PUBLISH,
    body=DatedFields,
    errors=(InvalidTransition, BadRequest),
    transaction=True,
    prepare=_prepare_dated,
)
def publish_dated(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Publish a document that was live elsewhere before, with the time it went live there. For `import --publish`.

    One that is live already keeps its own time.
    """
    return _publish(ctx)


@document_change(
    Scope.PUBLISH,
    "POST /documents/<id>/unpublish",
    errors=(InvalidTransition,),
    transaction=True,
    rule=publishing.unpublish_document,
    toolsets=("reviewing",),
    next="Only when asked to.",
)
def unpublish_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Take a document off the website; a published one is in drafting again."""
    rule = partial(publishing.unpublish_document, call=ctx.call)
    ctx.store.change_delivery(ctx.project_id)
    result = change_document(ctx, own_document(ctx, document_id), rule)
    if before := ctx.store[Publications].remove(ctx.project_id, document_id):
        ctx.store[Bodies].delete(ctx.project_id, before["htmlId"])
    return result


@operation(Scope.PUBLISH, Effect.CHANGES, transaction=True, prepare=partial(prepare_publication, is_due=True))
def publish_scheduled(ctx: Context, document_id: str) -> Result[ScheduleOutcome]:
    """Publish a scheduled document whose time has come; one that can't be goes back to drafting. For the worker.

    What was moved meanwhile is left alone, and everything in a project that was closed meanwhile: `NotFound`.
    """
    if ctx.features.if_closed(ctx.store[Projects].settings(ctx.project_id)):
        raise NotFound
    prepared: Publishable | Unpublishable = ctx.prepared
    if isinstance(prepared, Publishable):
        _publish(ctx)
        return Result({"id": prepared.document["id"], "reason": None})
    document, refused = prepared.document, prepared.refusal
    if document is None or isinstance(refused, NotFound):
        raise NotFound
    change_document(ctx, document, partial(rules.give_up_publishing, call=ctx.call, reason=refused.message))
    return Result({"id": document["id"], "reason": refused.message})


def publish_due(store: Store, project_id: str, now: datetime) -> Iterator[tuple[str, str | None]]:
    """Publishes documents of a project that are due, the longest due first, until `PUBLISH_TURN_SECONDS` are over.

    Yields the id of each, with the reason why it was not published, or None; nothing while the project is closed.
    A document that was begun is finished. Any number of workers may call this at once: each document is
    published by one of them. If a document raises an unexpected error, the others are tried before it is raised again.
    """
    ends = time.monotonic() + PUBLISH_TURN_SECONDS
    unexpected: list[Exception] = []
    project = store[Projects].settings(project_id)
    due = [] if store.features.if_closed(project) else store[Documents].find_due(project_id, now, DUE_AT_ONCE)
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


def _publish(ctx: Context) -> Result[DocumentSummary]:
    """Makes what was prepared what is delivered; inside a transaction.

    Raises the refusal of a document that can't be published, and `WriteConflict` when it changed since it was read.
    """
    prepared: Publishable | Unpublishable = ctx.prepared
    if isinstance(prepared, Unpublishable):
        raise prepared.refusal
    document, delivered = prepared.document, prepared.delivered

    def publish(present: StoredDocument) -> Decision:
        decision = publishing.publish_document(present, ctx.call, delivered)
        return extended(ctx, "publish_document", present, decision, NO_FIELDS)

    ctx.store.change_delivery(ctx.project_id)
    published = write_decision(ctx, document, publish)
    ctx.store[Bodies].add(ctx.project_id, document["id"], prepared.html, delivered["htmlId"])
    if html_id := ctx.store[Publications].put(ctx.project_id, delivered):
        ctx.store[Bodies].delete(ctx.project_id, html_id)
    return document_result(ctx, published, prepared.rendering.body and prepared.rendering.body["text"])
