"""Review threads: opened, answered, settled; suggestions that are accepted as content writes (decisions, section 17).

The rule of the same name decides; the thread and the record of its document, which has the event, are written in one
transaction.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import cast

from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import BadRequest, BriefClaimed, InvalidTransition, NotFound, Problem, VersionConflict, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_tag
from app.core.schemas.loading import Fields
from app.core.store.caches import SharedCache, SingleFlight
from app.core.store.collection import new_id
from app.core.vocabulary import ActorType, Scope
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
from app.documents.store import Documents
from app.review import rules
from app.review.anchors import lines_of
from app.review.errors import QuoteGone, ThreadNotYours, ThreadResolved
from app.review.mentions import note_mentions
from app.review.responses import Thread, ThreadList, minimal_thread, thread_record
from app.review.rules import ReviewedDocument, StoredThread, in_order, places_of, record_thread
from app.review.schemas import AcceptFields, Replies, ReplyFields, SettleFields, ThreadFields, ThreadQuery
from app.review.store import Threads
from app.review.vocabulary import ThreadState
from app.sections.operations import sections_of

WITHOUT_TEXTS = {"comments": 0, "suggestion": 0}
SHOWN_RESOLVED = 100
"""Maximum number of resolved threads on a page."""
Rule = Callable[[StoredThread], StoredThread]
"""Decides about a thread."""
_starts: SharedCache[list[tuple[int, int]]] = SharedCache(200_000, size_of=len)
_divided: SingleFlight[list[tuple[int, int]]] = SingleFlight()


def divide_text(ctx: Context, document_id: str, *arguments: object) -> None:
    """Divides a document's content into sections before the transaction, which would make other remarks wait."""
    if document := ctx.store[Documents].get(ctx.project_id, document_id):
        _sections_of(ctx, document, markdown_of(ctx, document.get("contentId")))


thread_change = partial(operation, tag="threads", transaction=True, prepare=divide_text, toolsets=("reviewing",))
"""Declares an operation that changes threads or review links."""

UNRESOLVED = (ThreadState.OPEN, ThreadState.ANSWERED)


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/threads",
    tag="threads",
    query=ThreadQuery,
    toolsets=("writing", "reviewing"),
    next="To answer one: `reply_to_thread`. To settle one: `resolve_thread`.",
    button="Threads",
)
def list_threads(ctx: Context, document_id: str, fields: Fields) -> Result[list[Thread]]:
    """List a document's review threads in the order of the text."""
    document, threads = own_document(ctx, document_id), ctx.store[Threads]
    listed = threads.list(ctx.project_id, document["id"], map(ThreadState, fields["state"]), WITHOUT_TEXTS)
    markdown = markdown_of(ctx, document.get("contentId"))
    with processing(ctx, markdown):
        ordered = in_order(listed, places_of(listed, document["version"], markdown))
    first = fields["offset"]
    page = threads.get_many(ctx.project_id, [one["id"] for one in ordered[first : first + fields["limit"]]])
    return Result(thread_records(ctx, document, [*page.values()], markdown))


@thread_change(
    Scope.WRITE,
    Effect.CREATES,
    "POST /documents/<id>/threads",
    body=ThreadFields,
    errors=(BadRequest,),
    rule=rules.refuse_if_full,
    minimal=minimal_thread,
    toolsets=("writing", "reviewing"),
)
def open_thread(ctx: Context, document_id: str, fields: Fields) -> Result[Thread]:
    """Open a review thread on a passage of the text, or on the whole document.

    `prefix`, `exact` and `suffix` together must stand in the markdown exactly once.
    """
    document = ctx.check_match(own_document(ctx, document_id))
    markdown = markdown_of(ctx, document.get("contentId"))
    room = room_for_threads(ctx, document["id"])
    [thread] = rules.new_threads(document, ctx.call, [fields], markdown, new_id, room=room)
    ctx.store[Documents].remark(ctx.project_id, document, rules.open_threads(document, ctx.call, [thread]))
    ctx.store[Threads].add_many(ctx.project_id, [note_mentions(ctx, thread)])
    return _result(ctx, document, thread)


@operation(
    Scope.WRITE,
    Effect.CREATES,
    tag="threads",
    body=Replies,
    errors=(BriefClaimed, ThreadResolved, BadRequest),
    transaction=True,
    prepare=divide_text,
    minimal=lambda body: {"threads": [*map(minimal_thread, body["threads"])]},
)
def reply_to_threads(ctx: Context, document_id: str, fields: Fields) -> Result[ThreadList]:
    """Answer several threads, all or none."""
    rules.refuse_repeated([one["threadId"] for one in fields["replies"]])
    changes = {
        one["threadId"]: partial(rules.reply_to_thread, call=ctx.call, text=one["text"], comment_id=new_id())
        for one in fields["replies"]
    }
    document, threads = _change_all(ctx, document_id, "thread.replied", changes)
    return Result({"threads": _records(ctx, document, threads)})


@thread_change(
    Scope.WRITE,
    Effect.CREATES,
    "POST /documents/<id>/threads/<thread_id>/replies",
    body=ReplyFields,
    errors=(BriefClaimed, ThreadResolved, BadRequest),
    minimal=minimal_thread,
    batch=reply_to_threads,
    toolsets=("writing", "reviewing"),
    next="Then `submit_document`.",
    button="Reply",
)
def reply_to_thread(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[Thread]:
    """Answer a thread: say what you changed, or why not."""
    rule = partial(rules.reply_to_thread, call=ctx.call, text=fields["text"], comment_id=new_id())
    return _change(ctx, document_id, thread_id, "thread.replied", rule)


@thread_change(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/threads/<thread_id>/resolve",
    body=SettleFields,
    errors=(ThreadNotYours, BadRequest),
    minimal=minimal_thread,
    button="Resolve",
    arguments_as="reply_to_thread",
)
def resolve_thread(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[Thread]:
    """Resolve a thread.

    An agent can't resolve another's `must` thread.
    """
    rule = partial(rules.resolve_thread, call=ctx.call, text=fields.get("text"), comment_id=new_id())
    return _change(ctx, document_id, thread_id, "thread.resolved", rule)


@thread_change(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/threads/<thread_id>/reopen",
    errors=(BadRequest,),
    minimal=minimal_thread,
)
def reopen_thread(ctx: Context, document_id: str, thread_id: str) -> Result[Thread]:
    """Open a resolved thread again."""
    return _change(ctx, document_id, thread_id, "thread.reopened", partial(rules.reopen_thread, call=ctx.call))


@thread_change(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/threads/<thread_id>/reject",
    body=SettleFields,
    errors=(ThreadNotYours, ThreadResolved, BadRequest),
    minimal=minimal_thread,
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
        *(ThreadResolved, BadRequest, QuoteGone),
    ),
    transaction=True,
    prepare=_prepare_accept,
    toolsets=("writing",),
)
def accept_suggestion(ctx: Context, document_id: str, thread_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Accept a thread's suggestion: it replaces the passage, as a new version, and resolves the thread.

    A `must` thread of another is answered instead.
    """
    document = document_to_write(ctx, document_id)
    thread = own_thread(ctx, document["id"], thread_id)
    after = rules.accept_suggestion(thread, ctx.call)
    event = "thread.resolved" if after["state"] == ThreadState.RESOLVED else "thread.replied"
    call = call_under_claim(ctx, fields)

    def write(present: StoredDocument) -> Decision:
        refuse_content_write(present, call, *base_versions(ctx, present, {}))
        can_write_content(present, ctx.call)
        rules.refuse_accepting(thread, ctx.call)
        text = edited_text(ctx, present, partial(_with_suggestion, ctx, thread_id=thread_id))
        decision = new_content(ctx, present, text.markdown, fields, words=text.words)
        settle = partial(record_thread, call=ctx.call, event=event, before=thread, after=after)
        return decision.then(settle)

    origin = {"suggestedBy": thread["openedBy"] if thread.get("byAgent") else None}
    written = write_decision(ctx, document, write, fields=fields, origin=origin)
    ctx.store[Threads].change(ctx.project_id, thread, note_mentions(ctx, after, thread))
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
        fact = "The quoted passage is not at one certain place of the present text"
        raise QuoteGone(fact, advice="edit the content, then answer")
    written = markdown[:place] + suggestion + markdown[place + len(quote["exact"]) :]
    if len(written) > MAX_MARKDOWN:
        message = f"The content would be longer than {MAX_MARKDOWN:,} characters."
        raise BadRequest(errors=[Problem(field="suggestion", message=message)])
    return written


def own_thread(ctx: Context, document_id: str, thread_id: str) -> StoredThread:
    """Returns a thread of a document. Refuses with `NotFound`."""
    missing = (f"The document has no thread {thread_id}", "threadId", "list its threads")
    return or_raise(ctx.store[Threads].get(ctx.project_id, document_id, thread_id), NotFound, *missing)


def thread_records(
    ctx: Context, document: StoredDocument, threads: Sequence[StoredThread], markdown: str
) -> list[Thread]:
    """Returns threads as callers see them: those whose passage stands in the text in its order, then others by age."""
    with processing(ctx, markdown):
        places = places_of(threads, document["version"], markdown)
        lines = lines_of(markdown, (place for place in places.values() if place is not None))
    sections = _sections_of(ctx, document, markdown)

    def record(thread: StoredThread) -> Thread:
        if (place := places[thread["id"]]) is None:
            return thread_record(thread, None, None)
        _, number = sections[bisect_right(sections, place, key=itemgetter(0)) - 1]
        return thread_record(thread, lines[place], number)

    return [record(thread) for thread in in_order(threads, places)]


def threads_to_show(ctx: Context, document: StoredDocument, markdown: str) -> list[Thread]:
    """Returns a document's threads for a page: those that are not resolved, and the newest that are."""
    if "unresolvedThreads" not in document:
        return []
    threads, of_document = ctx.store[Threads], (ctx.project_id, document["id"])
    resolved = threads.newest_resolved(*of_document, SHOWN_RESOLVED)
    found = [*threads.list(*of_document, UNRESOLVED), *resolved]
    return thread_records(ctx, document, found, markdown)


def room_for_threads(ctx: Context, document_id: str) -> int:
    """Returns how many more threads of the caller a document may have; inside the transaction that adds them."""
    threads = ctx.store[Threads]
    room = rules.MOST_THREADS - threads.count(ctx.project_id, document_id)
    if ctx.caller.type != ActorType.LINK:
        return room
    return min(room, rules.MOST_BY_LINKS - threads.count(ctx.project_id, document_id, ActorType.LINK))


def unresolved_threads(ctx: Context, document: StoredDocument, markdown: str) -> list[Thread]:
    """Returns a document's threads that are not resolved, as `list_threads` has them; none are read where none are."""
    if not cast(ReviewedDocument, document).get("unresolvedThreads"):
        return []
    threads = ctx.store[Threads].list(ctx.project_id, document["id"], UNRESOLVED)
    return thread_records(ctx, document, threads, markdown)


def _change(ctx: Context, document_id: str, thread_id: str, event: str, rule: Rule) -> Result[Thread]:
    """Writes what a rule decides about a thread, and returns the thread as it is then."""
    document, [thread] = _change_all(ctx, document_id, event, {thread_id: rule})
    return _result(ctx, document, thread)


def _change_all(
    ctx: Context, document_id: str, event: str, changes: Mapping[str, Rule]
) -> tuple[StoredDocument, list[StoredThread]]:
    """Writes what rules decide about threads, by id; returns the document before, and the threads as they are then."""
    document = own_document(ctx, document_id)
    befores = [own_thread(ctx, document["id"], thread_id) for thread_id in changes]
    for before in befores:
        ctx.check_match({"rev": before["rev"]})
        if event == "thread.replied":
            rules.refuse_reply(document, before, ctx.call)
    afters = [rule(before) for rule, before in zip(changes.values(), befores, strict=True)]
    pairs = [(before, after) for before, after in zip(befores, afters, strict=True) if after != before]

    decision = Decision(document)
    for before, after in pairs:
        decision = decision.then(partial(record_thread, call=ctx.call, event=event, before=before, after=after))
    ctx.store[Documents].remark(ctx.project_id, document, decision)
    told = [(before, note_mentions(ctx, after, before)) for before, after in pairs]
    written = {before["id"]: ctx.store[Threads].change(ctx.project_id, before, after) for before, after in told}
    return document, [written.get(before["id"], before) for before in befores]


def _result(ctx: Context, document: StoredDocument, thread: StoredThread) -> Result[Thread]:
    """Returns the result that shows a thread."""
    [record] = _records(ctx, document, [thread])
    return Result(record, etag=record_tag(thread))


def _records(ctx: Context, document: StoredDocument, threads: Sequence[StoredThread]) -> list[Thread]:
    """Returns threads as callers see them. Called after the writes: to divide a long text before would lose them."""
    markdown = markdown_of(ctx, document.get("contentId"))
    return thread_records(ctx, document, threads, markdown)


def _sections_of(ctx: Context, document: StoredDocument, markdown: str) -> list[tuple[int, int]]:
    """Returns the place and the number of each section of a document's content; divides it once for all callers."""
    content_id = document.get("contentId")
    if content_id is None:
        return []
    known = _starts.get(content_id)
    return known or _divided.read(content_id, lambda: _starts.get(content_id) or _divide(ctx, content_id, markdown))


def _divide(ctx: Context, content_id: str, markdown: str) -> list[tuple[int, int]]:
    sections = sections_of(ctx, markdown)
    starts = accumulate((len(section.text) for section in sections), initial=0)
    found = [(start, section.number) for start, section in zip(starts, sections, strict=False)]
    _starts.put(content_id, found)
    return found
