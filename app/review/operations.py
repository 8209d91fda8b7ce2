"""Review threads: opened, answered, settled; suggestions that are accepted as content writes (decisions, section 17).

The rule of the same name decides; the thread and the record of its document, which has the event, are written in one
transaction.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import cast

from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import BadRequest, BriefClaimed, InvalidTransition, NotFound, Problem, VersionConflict, or_raise
from app.core.etags import record_tag
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.store.collection import new_id
from app.core.vocabulary import Scope
from app.documents.content import (
    EditedText,
    base_versions,
    document_to_write,
    edited_text,
    markdown_of,
    new_content,
    prepare_edit,
)
from app.documents.edits import can_write_content, refuse_content_write
from app.documents.operations import (
    call_under_claim,
    document_change,
    document_result,
    own_document,
    write_decision,
)
from app.documents.record import Decision, StoredDocument
from app.documents.responses import DocumentSummary
from app.documents.schemas import MAX_MARKDOWN
from app.review import rules
from app.review.anchors import lines_of
from app.review.errors import QuoteGone, ThreadNotYours, ThreadResolved
from app.review.responses import Thread, thread_record
from app.review.rules import ReviewedDocument, StoredThread, places_of, record_thread
from app.review.schemas import AcceptFields, ReplyFields, SettleFields, ThreadFields, ThreadQuery
from app.review.store import Threads
from app.review.vocabulary import ThreadState
from app.sections.operations import sections_of
from app.sections.rules import Section

UNRESOLVED = (ThreadState.OPEN, ThreadState.ANSWERED)


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/threads",
    tag="threads",
    query=ThreadQuery,
    toolsets=("reviewing",),
    next="To settle one: `reply_to_thread`, `resolve_thread`.",
    button="Threads",
)
def list_threads(ctx: Context, document_id: str, fields: Fields) -> Result[list[Thread]]:
    """List a document's review threads in the order of the text, by default those that are not resolved.

    `line` and `section` say where the passage stands now; null where it is gone.
    """
    document = own_document(ctx, document_id)
    threads = ctx.store[Threads].list(ctx.project_id, document["id"], map(ThreadState, fields["state"]))
    markdown = markdown_of(ctx, document.get("contentId"))
    return Result(thread_records(ctx, document, threads, markdown, sections_of(ctx, markdown)))


@operation(
    Scope.WRITE,
    Effect.CREATES,
    "POST /documents/<id>/threads",
    tag="threads",
    body=ThreadFields,
    errors=(BadRequest,),
    transaction=True,
    rule=rules.refuse_if_full,
    toolsets=("reviewing",),
)
def open_thread(ctx: Context, document_id: str, fields: Fields) -> Result[Thread]:
    """Open a review thread: a remark on a passage of the present text, or on the whole document.

    `prefix`, `exact` and `suffix` together must stand in the markdown exactly once.
    """
    document = ctx.check_match(own_document(ctx, document_id))
    markdown = markdown_of(ctx, document.get("contentId"))
    [thread] = rules.new_threads(document, ctx.call, [fields], markdown, new_id)
    rule = partial(rules.open_threads, call=ctx.call, threads=[thread])
    write_decision(ctx, document, rule)
    ctx.store[Threads].add_many(ctx.project_id, [thread])
    return _result(ctx, document, thread)


@operation(
    Scope.WRITE,
    Effect.CREATES,
    "POST /documents/<id>/threads/<thread_id>/replies",
    tag="threads",
    body=ReplyFields,
    errors=(ThreadResolved, BadRequest),
    transaction=True,
    toolsets=("writing", "reviewing"),
    next="After the change. Then `submit_document`.",
    button="Reply",
)
def reply_to_thread(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[Thread]:
    """Answer a thread: say what you changed, or why not."""
    rule = partial(rules.reply_to_thread, call=ctx.call, text=fields["text"], comment_id=new_id())
    return _change(ctx, document_id, thread_id, "thread.replied", rule)


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/threads/<thread_id>/resolve",
    tag="threads",
    body=SettleFields,
    errors=(ThreadNotYours, BadRequest),
    transaction=True,
    toolsets=("reviewing",),
    arguments_as="reply_to_thread",
)
def resolve_thread(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[Thread]:
    """Resolve a thread.

    An agent can't resolve another's `must` thread.
    """
    rule = partial(rules.resolve_thread, call=ctx.call, text=fields.get("text"), comment_id=new_id())
    return _change(ctx, document_id, thread_id, "thread.resolved", rule)


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/threads/<thread_id>/reopen",
    tag="threads",
    errors=(BadRequest,),
    transaction=True,
    toolsets=("reviewing",),
)
def reopen_thread(ctx: Context, document_id: str, thread_id: str) -> Result[Thread]:
    """Open a resolved thread again."""
    return _change(ctx, document_id, thread_id, "thread.reopened", partial(rules.reopen_thread, call=ctx.call))


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/threads/<thread_id>/reject",
    tag="threads",
    body=SettleFields,
    errors=(ThreadNotYours, ThreadResolved, BadRequest),
    transaction=True,
    toolsets=("reviewing",),
    arguments_as="reply_to_thread",
)
def reject_suggestion(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[Thread]:
    """Resolve a thread without taking its suggestion."""
    rule = partial(rules.reject_suggestion, call=ctx.call, text=fields.get("text"), comment_id=new_id())
    return _change(ctx, document_id, thread_id, "thread.resolved", rule)


def _prepare_accept(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> EditedText | None:
    return prepare_edit(ctx, document_id, partial(_with_suggestion, ctx, thread_id=thread_id))


@document_change(
    Scope.WRITE,
    "POST /documents/<id>/threads/<thread_id>/accept",
    tag="threads",
    body=AcceptFields,
    errors=(
        *(BriefClaimed, VersionConflict, InvalidTransition),
        *(ThreadNotYours, ThreadResolved, BadRequest, QuoteGone),
    ),
    transaction=True,
    prepare=_prepare_accept,
    toolsets=("writing",),
)
def accept_suggestion(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Accept a thread's suggestion: it replaces the passage, as a new version, and resolves the thread."""
    document = document_to_write(ctx, document_id)
    thread = own_thread(ctx, document["id"], thread_id)
    after = rules.accept_suggestion(thread, ctx.call)
    call = call_under_claim(ctx, fields)

    def write(present: StoredDocument) -> Decision:
        refuse_content_write(present, call, *base_versions(ctx, present, {}))
        can_write_content(present, ctx.call)
        rules.refuse_settling(thread, ctx.call)
        text = edited_text(ctx, present, partial(_with_suggestion, ctx, thread_id=thread_id))
        decision = new_content(ctx, present, text.markdown, fields, words=text.words)
        settle = partial(record_thread, call=ctx.call, event="thread.resolved", before=thread, after=after)
        return decision.then(settle)

    origin = {"suggestedBy": thread["openedBy"] if thread.get("byAgent") else None}
    written = write_decision(ctx, document, write, fields=fields, origin=origin)
    ctx.store[Threads].change(ctx.project_id, thread, after)
    return document_result(ctx, written)


def _with_suggestion(ctx: Context, document: StoredDocument, thread_id: str) -> str:
    """Returns the content with a thread's suggestion in place of its passage.

    Refuses with `QuoteGone` where the passage has no certain place, and with `BadRequest` what is too long.
    """
    thread, markdown = own_thread(ctx, document["id"], thread_id), markdown_of(ctx, document.get("contentId"))
    with processing(ctx, markdown):
        place = places_of([thread], document["version"], markdown)[thread["id"]]
    quote, suggestion = thread["quote"], thread["suggestion"]
    if place is None or quote is None or suggestion is None:
        raise QuoteGone
    written = markdown[:place] + suggestion + markdown[place + len(quote["exact"]) :]
    if len(written) > MAX_MARKDOWN:
        message = f"The content would be longer than {MAX_MARKDOWN:,} characters."
        raise BadRequest(errors=[Problem(field="suggestion", message=message)])
    return written


def own_thread(ctx: Context, document_id: str, thread_id: str) -> StoredThread:
    """Returns a thread of a document. Refuses with `NotFound`."""
    missing = "The document has no such thread: list its threads."
    return or_raise(ctx.store[Threads].get(ctx.project_id, document_id, thread_id), NotFound, missing)


def thread_records(
    ctx: Context, document: StoredDocument, threads: Sequence[StoredThread], markdown: str, sections: Sequence[Section]
) -> list[Thread]:
    """Returns threads as callers see them: those whose passage stands in the text in its order, then others by age."""
    with processing(ctx, markdown):
        places = places_of(threads, document["version"], markdown)
        lines = lines_of(markdown, (place for place in places.values() if place is not None))
    starts = [0, *accumulate(len(section.text) for section in sections)]

    def record(thread: StoredThread) -> Thread:
        if (place := places[thread["id"]]) is None:
            return thread_record(thread, None, None)
        return thread_record(thread, lines[place], sections[bisect_right(starts, place) - 1].number)

    def order(thread: StoredThread) -> tuple[object, ...]:
        place = places[thread["id"]]
        return place is None, place or 0, thread["createdAt"], thread["id"]

    return [record(thread) for thread in sorted(threads, key=order)]


def unresolved_threads(
    ctx: Context, document: StoredDocument, markdown: str, sections: Sequence[Section]
) -> list[Thread]:
    """Returns a document's threads that are not resolved, as `list_threads` has them; none are read where none are."""
    if not cast(ReviewedDocument, document).get("unresolvedThreads"):
        return []
    threads = ctx.store[Threads].list(ctx.project_id, document["id"], UNRESOLVED)
    return thread_records(ctx, document, threads, markdown, sections)


def _change(
    ctx: Context, document_id: str, thread_id: str, event: str, rule: Callable[[StoredThread], StoredThread]
) -> Result[Thread]:
    """Writes what a rule decides about a thread, and returns the thread as it is then."""
    document = own_document(ctx, document_id)
    before = own_thread(ctx, document["id"], thread_id)
    ctx.check_match({"rev": before["rev"]})
    after = rule(before)
    if after != before:
        record = partial(record_thread, call=ctx.call, event=event, before=before, after=after)
        write_decision(ctx, document, record)
        after = ctx.store[Threads].change(ctx.project_id, before, after)
    return _result(ctx, document, after)


def _result(ctx: Context, document: StoredDocument, thread: StoredThread) -> Result[Thread]:
    """Returns the result that shows a thread. Called after the writes: to divide a long text before would lose them."""
    markdown = markdown_of(ctx, document.get("contentId"))
    [record] = thread_records(ctx, document, [thread], markdown, sections_of(ctx, markdown))
    return Result(record, etag=record_tag(thread))
