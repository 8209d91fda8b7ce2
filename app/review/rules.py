"""Review threads: how one is opened, answered, resolved and reopened (decisions, section 17).

Each rule takes a thread and the call, and returns the changed thread, the same one where nothing changes, or raises the
refusal. `record_thread` decides what the document's record says of the change: its counts, and the event.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.calls import Call
from app.core.documented import Count, Id, Version
from app.core.errors import BadRequest, Problem
from app.core.schemas.validation import word_of
from app.core.times import Instant
from app.core.vocabulary import ActorType
from app.documents.record import Decision, StoredDocument, brief_of, document_event, holds_claim, refuse_if_claimed
from app.projects.rules import StoredSecret
from app.review.anchors import Quote, first_places, locate, quote_at
from app.review.errors import ThreadNotYours, ThreadResolved
from app.review.schemas import MOST_COMMENTS, MOST_TEXT
from app.review.vocabulary import ThreadLevel, ThreadOutcome, ThreadState

MOST_UNRESOLVED = 200
"""Maximum number of threads of a document that are not resolved."""
MOST_THREADS = 1_000
"""Maximum number of threads of a document."""
MOST_BY_LINKS = 100
"""Maximum number of threads of a document that are opened by review links."""


MOST_COUNTED = 100
"""Maximum number of occurrences of a quote that are counted."""


TOO_MANY_THREADS = f"The document has {MOST_THREADS:,} threads, the most there may be."
TOO_MANY_BY_LINKS = f"The document has {MOST_BY_LINKS} threads by review links, the most there may be: answer one."
TOO_LONG = f"The thread would have over {MOST_TEXT:,} characters, the most there may be: open another."
TOO_MANY_COMMENTS = f"The thread has {MOST_COMMENTS} comments, the most there may be: open another."


class StoredComment(TypedDict):
    """A comment of a thread as it is stored."""

    id: Id
    at: Instant
    by: Actor
    text: str


class StoredMention(TypedDict):
    """A member who is named in a comment and did not answer since."""

    memberId: Id
    at: Instant


class StoredThread(TypedDict):
    """A thread as the store returns it."""

    id: Id
    documentId: Id
    version: Version
    """The version of the text that it was opened on."""
    level: Annotated[str, word_of(ThreadLevel)]
    state: Annotated[str, word_of(ThreadState)]
    stateSince: Instant
    """When its state last changed."""
    quote: Quote | None
    place: Count | None
    """Where the quote begins in that version."""
    suggestion: str | None
    outcome: Annotated[str, word_of(ThreadOutcome)] | None
    comments: list[StoredComment]
    openedBy: Actor
    byAgent: NotRequired[bool | None]
    """True if the words of its suggestion count as an agent's."""
    mentions: NotRequired[list[StoredMention] | None]
    resolvedAt: Instant | None
    resolvedBy: Actor | None
    createdAt: Instant
    updatedAt: Instant
    rev: Version


class ReviewedDocument(StoredDocument):
    """A document with its rounds of changes, and the counts of its threads."""

    rounds: NotRequired[Count | None]
    """How often changes were requested since it was last published."""
    roundsAt: NotRequired[Instant | None]
    """When changes were last requested since it was last published."""
    unresolvedThreads: NotRequired[int]
    """The number of its unresolved threads."""
    mustThreads: NotRequired[dict[str, str]]
    """The state of each unresolved thread of level `must`, by id."""
    openSince: NotRequired[dict[str, Instant]]
    """Since when each open thread of level `must` is open, by id."""


def new_threads(
    document: StoredDocument,
    call: Call,
    sent: Sequence[Mapping[str, Any]],
    markdown: str,
    new_id: Callable[[], str],
    path: str = "",
    *,
    room: int = MOST_THREADS,
) -> list[StoredThread]:
    """Returns remarks on a text as new threads; refuses with everything that is wrong with them.

    `room` is how many more threads of the caller the document may have. `path` is how the place of a remark in the
    request begins, `threads` for a list of them.
    """
    problems: list[Problem] = []
    threads = []
    for number, remark in enumerate(sent):
        prefix = f"{path}[{number}]." if path else ""
        place = _place_of(remark.get("quote"), markdown)
        wrong = _problems(document, call, remark, place, number)
        if number >= room:
            wrong["text"] = TOO_MANY_BY_LINKS if call.actor["type"] == ActorType.LINK else TOO_MANY_THREADS
        problems += [Problem(field=prefix + field, message=message) for field, message in wrong.items()]
        if not wrong:
            threads.append(_new_thread(document, call, remark, markdown, place[0] if place else None, new_id()))
    if problems:
        raise BadRequest(errors=problems)
    return threads


def open_threads(document: StoredDocument, call: Call, threads: Iterable[StoredThread]) -> Decision:
    """Returns the decision that counts new threads in their document, with one event each."""
    decision = Decision(document)
    for thread in threads:
        record = partial(record_thread, call=call, event="thread.opened", before=None, after=thread)
        decision = decision.then(record)
    return decision


def refuse_if_full(document: StoredDocument, call: Call) -> None:
    """Refuses another thread of a document that has as many unresolved ones as there may be."""
    if message := _if_full(document):
        raise BadRequest(errors=[Problem(field="text", message=message)])


def reply_to_thread(thread: StoredThread, call: Call, text: str, comment_id: str) -> StoredThread:
    """Adds an answer; one by the opener leaves the thread open, one by another leaves it answered."""
    _refuse_if_resolved(thread)
    state = ThreadState.OPEN if _is_opener(thread, call) else ThreadState.ANSWERED
    return _changed(thread, call, text, comment_id, state=state)


def refuse_reply(document: StoredDocument, thread: StoredThread, call: Call) -> None:
    """Refuses with `BriefClaimed` an agent's answer to another's thread, while somebody else holds the brief."""
    held = brief_of(document).get("claimedBy")
    if call.has_agent and not (_is_opener(thread, call) or holds_claim(held, call.token_id)):
        refuse_if_claimed(document, call)


def refuse_repeated(thread_ids: Sequence[str]) -> None:
    """Refuses several answers to the same thread in one request."""
    problems = [
        Problem(field=f"replies[{number}].threadId", message="Has an answer already in this request.")
        for number, one in enumerate(thread_ids)
        if one.lower() in map(str.lower, thread_ids[:number])
    ]
    if problems:
        raise BadRequest(errors=problems)


def resolve_thread(thread: StoredThread, call: Call, text: str | None, comment_id: str) -> StoredThread:
    """Resolves a thread, with a last comment where one was sent; a resolved one stays as it is."""
    refuse_if_not_yours(thread, call)
    if thread["state"] == ThreadState.RESOLVED:
        return thread
    return _resolved(thread, call, text, comment_id)


def reject_suggestion(thread: StoredThread, call: Call, text: str | None, comment_id: str) -> StoredThread:
    """Resolves a thread, whose suggestion is not taken."""
    refuse_if_not_yours(thread, call)
    refuse_accepting(thread, call)
    return _resolved(thread, call, text, comment_id, ThreadOutcome.REJECTED)


def accept_suggestion(thread: StoredThread, call: Call) -> StoredThread:
    """Resolves a thread, whose suggestion was written to the document; one that is for others to resolve is answered.

    Its opener has to see first what became of it.
    """
    if _is_for_others(thread, call):
        return _changed(thread, call, state=ThreadState.ANSWERED, outcome=ThreadOutcome.ACCEPTED)
    return _resolved(thread, call, None, "", ThreadOutcome.ACCEPTED)


def refuse_accepting(thread: StoredThread, call: Call) -> None:
    """Raises the first reason, in the contract's order, why a suggestion can be neither accepted nor rejected."""
    _refuse_if_resolved(thread)
    reply = call.name_of("reply_to_thread")
    if thread["suggestion"] is None:
        raise BadRequest(f"The thread has no suggestion: answer it with {reply} instead.")
    if thread["outcome"] is not None:
        raise BadRequest(f"The suggestion was accepted already: answer the thread with {reply} instead.")


def reopen_thread(thread: StoredThread, call: Call) -> StoredThread:
    """Opens a resolved thread again; others stay as they are."""
    if thread["state"] != ThreadState.RESOLVED:
        return thread
    return _changed(thread, call, state=ThreadState.OPEN, resolvedAt=None, resolvedBy=None, outcome=None)


def refuse_if_not_yours(thread: StoredThread, call: Call) -> None:
    """Refuses with `ThreadNotYours` what agents can't do to a `must` thread of another, nor visitors to any."""
    if _is_for_others(thread, call):
        by = thread["openedBy"]
        reply = call.name_of("reply_to_thread")
        message = f"{by['name']!r} opened this thread and has to resolve it: say with {reply} what you did about it."
        raise ThreadNotYours(message, openedBy=by)


def record_thread(
    document: StoredDocument, call: Call, event: str, before: StoredThread | None, after: StoredThread
) -> Decision:
    """Returns the decision that counts an opened or changed thread in its document; unchanged if nothing differs."""
    if before == after:
        return Decision(document)
    was_resolved = before is None or before["state"] == ThreadState.RESOLVED
    is_resolved = after["state"] == ThreadState.RESOLVED
    if was_resolved and not is_resolved and before is not None:
        refuse_if_full(document, call)
    fields = counts_of([after])
    counted = cast(ReviewedDocument, document)
    for name, known in (("mustThreads", counted.get("mustThreads")), ("openSince", counted.get("openSince"))):
        fields[name] = {one: value for one, value in (known or {}).items() if one != after["id"]} | fields[name]
    fields["unresolvedThreads"] = _unresolved(document) + was_resolved - is_resolved
    data = {"threadId": after["id"], "level": after["level"], "outcome": after["outcome"]}
    after_it = cast(StoredDocument, {**document, **fields})
    return Decision(after_it, (document_event(event, after_it, call.now, call.actor, data),))


def counts_of(threads: Iterable[StoredThread]) -> dict[str, Any]:
    """Returns the fields that count a document's existing threads in its record, for imports."""
    left = [thread for thread in threads if thread["state"] != ThreadState.RESOLVED]
    must = [thread for thread in left if thread["level"] == ThreadLevel.MUST]
    return {
        "unresolvedThreads": len(left),
        "mustThreads": {thread["id"]: thread["state"] for thread in must},
        "openSince": {thread["id"]: thread["stateSince"] for thread in must if thread["state"] == ThreadState.OPEN},
    }


def places_of(threads: Sequence[StoredThread], version: int, markdown: str) -> dict[str, int | None]:
    """Returns where the quotes of threads begin in a version's text, by the thread's id; None for no certain place."""
    places = {thread["id"]: thread["place"] for thread in threads}
    moved = {thread["id"]: quote for thread in threads if (quote := thread["quote"]) and thread["version"] != version}
    return places | dict(zip(moved, locate(markdown, list(moved.values())), strict=True))


def in_order(threads: Iterable[StoredThread], places: Mapping[str, int | None]) -> list[StoredThread]:
    """Returns threads in the order of the places of their quotes, then those without a place by age."""

    def order(thread: StoredThread) -> tuple[object, ...]:
        place = places[thread["id"]]
        return place is None, place or 0, thread["createdAt"], thread["id"]

    return sorted(threads, key=order)


def _place_of(quote: Mapping[str, str] | None, markdown: str) -> list[int] | None:
    """Returns the places of a quote, at most `MOST_COUNTED`; None without a quote."""
    if quote is None:
        return None
    before = quote.get("prefix", "")
    words = before + quote["exact"] + quote.get("suffix", "")
    return [place + len(before) for place in first_places(markdown, words, MOST_COUNTED)]


def _problems(
    document: StoredDocument, call: Call, sent: Mapping[str, Any], places: list[int] | None, number: int
) -> dict[str, str]:
    """Returns what is wrong with a remark, the `number`th of its request, by field."""
    problems = {}
    if places is not None and len(places) != 1:
        often = f"{len(places)} times" if len(places) < MOST_COUNTED else f"{MOST_COUNTED} times or more"
        more = f"Stands {often} in the present text: send more of it, or its `prefix` and `suffix`."
        problems["quote.exact"] = more if places else "Stands nowhere in the present text: quote it to the character."
    if sent.get("suggestion") is not None and places is None:
        problems["suggestion"] = "Needs a `quote`: the passage that it replaces."
    if call.actor["type"] == ActorType.LINK and sent.get("level") == ThreadLevel.MUST:
        problems["level"] = f"Must be {ThreadLevel.SHOULD} or {ThreadLevel.NOTE} for a visitor."
    if full := _if_full(document, number):
        problems["text"] = full
    return problems


def _new_thread(
    document: StoredDocument, call: Call, sent: Mapping[str, Any], markdown: str, place: int | None, thread_id: str
) -> StoredThread:
    quote = sent.get("quote")
    return {
        "id": thread_id,
        "documentId": document["id"],
        "version": document["version"],
        "level": sent.get("level", ThreadLevel.SHOULD),
        "state": ThreadState.OPEN,
        "stateSince": call.now,
        "quote": None if quote is None or place is None else quote_at(markdown, place, quote["exact"]),
        "place": place,
        "suggestion": sent.get("suggestion"),
        "outcome": None,
        "comments": [StoredComment(id=thread_id, at=call.now, by=call.actor, text=sent["text"])],
        "openedBy": call.actor,
        "byAgent": call.is_by_agent,
        "resolvedAt": None,
        "resolvedBy": None,
        "createdAt": call.now,
        "updatedAt": call.now,
        "rev": 1,
    }


def _resolved(
    thread: StoredThread, call: Call, text: str | None, comment_id: str, outcome: ThreadOutcome | None = None
) -> StoredThread:
    outcome = outcome or cast(ThreadOutcome | None, thread["outcome"])
    fields = {"state": ThreadState.RESOLVED, "outcome": outcome, "resolvedAt": call.now, "resolvedBy": call.actor}
    return _changed(thread, call, text, comment_id, **fields)


def _changed(
    thread: StoredThread, call: Call, text: str | None = None, comment_id: str = "", **fields: Any
) -> StoredThread:
    """Returns a thread with some fields changed, and with a comment if there is a text."""
    if text is not None:
        if len(thread["comments"]) >= MOST_COMMENTS:
            raise BadRequest(errors=[Problem(field="text", message=TOO_MANY_COMMENTS)])
        if len(text) + sum(len(one["text"]) for one in thread["comments"]) > MOST_TEXT:
            raise BadRequest(errors=[Problem(field="text", message=TOO_LONG)])
        comment = StoredComment(id=comment_id, at=call.now, by=call.actor, text=text)
        fields["comments"] = [*thread["comments"], comment]
    moved = fields.get("state", thread["state"]) != thread["state"]
    since = {"stateSince": call.now} if moved else {}
    return cast(StoredThread, {**thread, **fields, **since, "updatedAt": call.now})


def _refuse_if_resolved(thread: StoredThread) -> None:
    if thread["state"] == ThreadState.RESOLVED:
        raise ThreadResolved(f"The thread {thread['id']} is resolved", advice="reopen it first")


def _is_for_others(thread: StoredThread, call: Call) -> bool:
    """Returns whether only others can resolve a thread: a `must` of another for agents, any of another for visitors."""
    limited = (call.has_agent and thread["level"] == ThreadLevel.MUST) or call.actor["type"] == ActorType.LINK
    return limited and not _is_opener(thread, call)


def _is_opener(thread: StoredThread, call: Call) -> bool:
    by = thread["openedBy"]
    return (by["type"], by["id"]) == (call.actor["type"], call.actor["id"])


def _unresolved(document: StoredDocument) -> int:
    return cast(ReviewedDocument, document).get("unresolvedThreads") or 0


def _if_full(document: StoredDocument, before: int = 0) -> str | None:
    """Returns the message that refuses a thread after `before` others; None where the document takes it."""
    full = _unresolved(document) + before >= MOST_UNRESOLVED
    return f"The document has {MOST_UNRESOLVED} threads that are not resolved: resolve some first." if full else None


class StoredReviewLink(StoredSecret):
    """A review link as the store returns it; lists leave out `hash`."""

    documentId: str
    name: str
    agent: NotRequired[str | None]
    """The agent's name that who comes by it acts under, where an agent made it."""
    createdBy: Actor
    tokenHash: NotRequired[str | None]
    """The hash of the secret that it was made with, with which it ends; none for a connection's."""
