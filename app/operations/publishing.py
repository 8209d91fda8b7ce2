"""From review to the website and back: every move of a document's status (decisions, section 5).

The rule of the same name decides each; publishing and unpublishing write the record, what is delivered and the
project's delivery revision in one transaction.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial

from app.errors import (
    BadRequest,
    BriefClaimed,
    ChecksFailed,
    FourEyes,
    HumanReviewRequired,
    InvalidTransition,
    NotFound,
    Problem,
    Refusal,
    ReviewRequired,
    RoundsExhausted,
    ServiceUnavailable,
    ThreadsOpen,
    VersionConflict,
    WriteConflict,
)
from app.operations.checks import checks_of, demanded_checks
from app.operations.context import Context, system
from app.operations.documents import change_document, document_change, own_document
from app.operations.guards import call_under_claim, publishing_call, refusal_of
from app.operations.operation import Effect, Result, operation
from app.operations.provenance import provenance_of, review_of
from app.operations.rendering import Rendering, render_document
from app.operations.revisions import markdown_of
from app.responses.documents import DocumentSummary, ScheduleOutcome
from app.rules import publishing
from app.rules import statuses as rules
from app.rules.actors import Actor
from app.rules.briefs import expire_lease
from app.rules.checks import failed_errors
from app.rules.documents import Decision, StoredDocument
from app.rules.provenance import Provenance
from app.rules.publishing import Publication, refuse_publication
from app.rules.reviews import missing_of
from app.rules.threads import new_threads, open_threads
from app.rules.times import read_time
from app.schemas.documents import ApproveFields, ChangesRequest, ScheduleFields, SubmitFields, WithBaseVersion
from app.schemas.loading import Fields, problems
from app.schemas.plans import DatedFields
from app.store.bodies import StoredBody
from app.store.collection import new_id
from app.store.store import Store
from app.vocabulary import Channel, DocumentStatus, Scope

DUE_AT_ONCE = 100
"""The most documents of one project that are published in one turn."""
PUBLISH_TURN_SECONDS = 1.0
"""How long the documents of one project are published before it is another project's turn."""

SCHEDULED_BY_MAKER = (
    "The project demands four eyes, and this version was made or submitted by who scheduled it: somebody else has to "
    "schedule or publish it."
)


@document_change(
    Scope.WRITE,
    body=SubmitFields,
    errors=(BriefClaimed, InvalidTransition, BadRequest, ThreadsOpen, ChecksFailed),
    rule=rules.submit_document,
)
def submit_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Submit a document for review.

    It must have content, and pass the checks that the project demands. A claimed brief becomes `drafted` and the claim
    ends. A published document can be submitted when it has unpublished changes; it is delivered as it was.
    """
    document, call = own_document(ctx, document_id), call_under_claim(ctx, fields)
    levels = demanded_checks(ctx.store.projects.recent_settings(ctx.project_id))

    def submit(present: StoredDocument) -> Decision:
        decision = rules.submit_document(present, call)
        if not levels:
            return decision
        results = checks_of(ctx, present, levels, markdown_of(ctx, present.get("contentId")))
        return rules.submit_document(present, replace(call, failed_checks=failed_errors(results)))

    return change_document(ctx, document, submit)


def read_for_review(ctx: Context, document_id: str, fields: Fields) -> tuple[StoredBody | None, Provenance] | None:
    """Returns a document's content and who wrote it; None without `review`, or where approving is refused anyway."""
    document = None if fields.get("review") is None else ctx.store.documents.get(ctx.project_id, document_id)
    if document is None or refusal_of(ctx, document, rules.approve_document, ctx.call):
        return None
    body = ctx.store.bodies.get(ctx.project_id, document.get("contentId"))
    return body, provenance_of(ctx, body)


@document_change(
    Scope.PUBLISH,
    body=ApproveFields,
    errors=(VersionConflict, InvalidTransition, ThreadsOpen, HumanReviewRequired, FourEyes, BadRequest),
    transaction=True,
    prepare=read_for_review,
    rule=rules.approve_document,
)
def approve_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Approve a document as it is: from now on its content stays until it is published or changes are requested.

    With `baseVersion`, what you read is what goes out. With `review` a person attests what they examined.
    """
    document, sent = own_document(ctx, document_id), fields.get("review")
    call = publishing_call(ctx, document)
    call = replace(call, missing_review=missing_of(call, sent, required=call.review_record))
    rule = partial(rules.approve_document, call=call, base_version=fields.get("baseVersion"))
    result = change_document(ctx, document, rule)
    if sent is not None:
        if ctx.prepared is None:
            raise WriteConflict
        body, written = ctx.prepared
        if (body and body["id"]) != document.get("contentId"):
            raise WriteConflict
        review = review_of(ctx, document, sent, body, written)
        ctx.store.revisions.add_review(ctx.project_id, document["id"], document["version"], review)
    return result


@document_change(
    Scope.PUBLISH,
    body=ChangesRequest,
    errors=(BriefClaimed, InvalidTransition, RoundsExhausted, BadRequest),
    transaction=True,
    rule=rules.request_changes,
)
def request_changes(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Send a document back to drafting, with a note that says what has to change.

    From `review` or `approved`. The note is the document's `reviewNote` until the next one.
    """
    document, sent, offer = own_document(ctx, document_id), fields.get("threads") or [], fields.get("offer", False)
    most = ctx.store.projects.settings(ctx.project_id).get("maxRounds") if offer else None
    markdown = markdown_of(ctx, document.get("contentId")) if sent else ""

    def request(present: StoredDocument) -> Decision:
        decision = rules.request_changes(present, ctx.call, fields.get("note") or "", offer=offer, max_rounds=most)
        threads = new_threads(present, ctx.call, sent, markdown, new_id, "threads")
        ctx.store.threads.add_many(ctx.project_id, threads)
        return decision.then(partial(open_threads, call=ctx.call, threads=threads))

    return change_document(ctx, document, request)


@document_change(
    Scope.PUBLISH,
    body=ScheduleFields,
    errors=(VersionConflict, InvalidTransition, ThreadsOpen, FourEyes, ReviewRequired, BadRequest),
    rule=rules.schedule_document,
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
    document = own_document(ctx, document_id)
    rule = partial(
        rules.schedule_document,
        call=publishing_call(ctx, document),
        at=at,
        base_version=fields.get("baseVersion"),
        problems=wrong,
    )
    return change_document(ctx, document, rule)


@document_change(Scope.PUBLISH, errors=(InvalidTransition,), rule=rules.unschedule_document)
def unschedule_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Unschedule a document: it gets the status back that it had before."""
    return change_document(ctx, own_document(ctx, document_id), partial(rules.unschedule_document, call=ctx.call))


@document_change(
    Scope.PUBLISH,
    body=WithBaseVersion,
    errors=(VersionConflict, InvalidTransition, ThreadsOpen, FourEyes, ReviewRequired, BadRequest),
    transaction=True,
    prepare=render_document,
    rule=refuse_publication,
    publishes=True,
)
def publish_document(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Publish a document now: its content as it is becomes what the website gets.

    A scheduled one is published early. With `baseVersion`, what you read is what goes out. In a project that demands
    approval, only an approved document is published. Markdown whose html would be over 15 MB can't be.
    """
    return _publish(ctx, own_document(ctx, document_id), base_version=fields.get("baseVersion"))


@document_change(
    Scope.PUBLISH,
    body=DatedFields,
    errors=(InvalidTransition, ThreadsOpen, ReviewRequired, BadRequest),
    transaction=True,
    prepare=render_document,
)
def publish_dated(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Publish a document that was live elsewhere before, with the time it went live there. For `import --publish`.

    One that is live already keeps its own time.
    """
    return _publish(ctx, own_document(ctx, document_id), live_since=read_time(fields["publishedAt"]))


@document_change(Scope.PUBLISH, errors=(InvalidTransition,), transaction=True, rule=publishing.unpublish_document)
def unpublish_document(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Take a document off the website; a published one is in drafting again, others keep their status."""
    rule = partial(publishing.unpublish_document, call=ctx.call)
    result = change_document(ctx, own_document(ctx, document_id), rule)
    _replaced(ctx, ctx.store.publications.remove(ctx.project_id, document_id))
    return result


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
    reason = None
    try:
        _publish(ctx, document, by=document.get("scheduledBy"))
    except ServiceUnavailable:
        raise
    except Refusal as refused:
        reason = SCHEDULED_BY_MAKER if isinstance(refused, FourEyes) else refused.message
        change_document(ctx, document, partial(rules.give_up_publishing, call=ctx.call, reason=reason))
    return Result({"id": document["id"], "reason": reason})


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


def _publish(
    ctx: Context,
    document: StoredDocument,
    *,
    base_version: int | None = None,
    live_since: datetime | None = None,
    by: Actor | None = None,
) -> Result[DocumentSummary]:
    """Makes a document's present content what is delivered; inside a transaction. `by` is who asked for it earlier.

    Raises `WriteConflict` when the document had another content while it was rendered.
    """
    rendering: Rendering | None = ctx.prepared
    call, html_id = publishing_call(ctx, document, by=by), new_id()
    refuse_publication(expire_lease(ctx.check_match(document), ctx.now).document, call, base_version)
    if rendering is None or (rendering.content_id, rendering.version) != (document["contentId"], document["version"]):
        raise WriteConflict
    if (text := rendering.text) is None:
        raise publishing.not_renderable()
    published_at = document["publishedAt"] or live_since or ctx.now
    delivered = publishing.publication(document, text, html_id, published_at=published_at, now=ctx.now)
    revision = ctx.store.revisions.get(ctx.project_id, document["id"], document["version"])
    delivered = publishing.attributed(delivered, rendering.provenance, revision and revision.get("review"))
    ctx.store.bodies.add(ctx.project_id, document["id"], text.html, html_id)
    _replaced(ctx, ctx.store.publications.put(ctx.project_id, delivered))
    return change_document(ctx, document, partial(publishing.publish_document, call=call, delivered=delivered))


def _replaced(ctx: Context, before: Publication | None) -> None:
    """Notes that the project delivers something else now; deletes the html that was delivered before."""
    if before is not None:
        ctx.store.bodies.delete(ctx.project_id, before["htmlId"])
    ctx.store.projects.delivery_changed(ctx.project_id)
