"""Review threads and review links as callers see them (decisions, section 17)."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import EXAMPLE_TIME, Id, Timestamp, doc, one_of, shown_once
from app.core.records import record_of
from app.core.times import plain
from app.review.anchors import Quote
from app.review.rules import StoredThread
from app.review.vocabulary import ThreadLevel, ThreadOutcome, ThreadState


class WithRounds(TypedDict):
    """The rounds of changes that a brief shows."""

    rounds: Annotated[int, doc("how often changes were requested since the document was last published")]


class Comment(TypedDict):
    """A comment of a thread."""

    id: Annotated[Id, doc("the comment's id")]
    at: Annotated[Timestamp, doc("when it was written")]
    by: Annotated[Actor, doc("who wrote it")]
    text: Annotated[str, doc("what they wrote", "Say which flour.")]


class Thread(TypedDict):
    """A remark on a document or on a passage of it, with its answers."""

    id: Annotated[Id, doc("the thread's id")]
    documentId: Annotated[Id, doc("the document's id")]
    version: Annotated[int, doc("the version that it was opened on")]
    level: Annotated[str, one_of(ThreadLevel), doc("how much it matters", "must")]
    state: Annotated[str, one_of(ThreadState), doc("the state", "open")]
    quote: Annotated[Quote | None, doc("the passage that it is about; null: the whole document")]
    line: Annotated[int | None, doc("the line that the passage begins in now; null where it is gone", 1)]
    section: Annotated[int | None, doc("the number of the section that it begins in; null where it is gone", 0)]
    suggestion: Annotated[str | None, doc("what the passage should be replaced with; null without one", "Wheat flour")]
    outcome: Annotated[
        str | None, doc(f"what became of the suggestion: null, or {' or '.join(f'`{one}`' for one in ThreadOutcome)}")
    ]
    comments: Annotated[list[Comment], doc("the comments, that which opened it first")]
    openedBy: Annotated[Actor, doc("who opened it")]
    resolvedAt: Annotated[Timestamp | None, doc("when it was resolved; null unless it is", None)]
    resolvedBy: Annotated[Actor | None, doc("who resolved it; null unless it is", None)]
    createdAt: Annotated[Timestamp, doc("when it was opened")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]


class ThreadList(TypedDict):
    """Several threads."""

    threads: Annotated[list[Thread], doc("the threads, in the order of the text")]


class ReviewLink(TypedDict):
    """A link that shows one document to somebody who is no member, without its secret."""

    id: Annotated[Id, doc("the link's id")]
    name: Annotated[str, doc("the name that the visitor's remarks have", "Lee")]
    createdAt: Annotated[Timestamp, doc("when it was made")]
    createdBy: Annotated[Actor, doc("who made it")]
    expiresAt: Annotated[Timestamp, doc("until when it works", EXAMPLE_TIME)]


class ReviewLinkOfDocument(ReviewLink):
    """A review link with its document."""

    documentId: Annotated[Id, doc("the document's id")]


class NewReviewLink(ReviewLink):
    """A review link with its address, shown only in this response; a replay under an idempotency key leaves it out."""

    link: NotRequired[
        Annotated[
            str,
            shown_once(
                "opens the document for the visitor", "https://cms.example.org/console/review#cwl_shown-this-once"
            ),
        ]
    ]


def thread_record(thread: StoredThread, line: int | None, section: int | None) -> Thread:
    """Returns a stored thread as callers see it; line and section are those of its quote in the present text."""
    comments = [plain(comment) for comment in thread["comments"]]
    return record_of(Thread, thread, line=line, section=section, comments=comments)


def minimal_thread(thread: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a caller needs of a thread that it changed."""
    return {name: thread[name] for name in ("id", "state")}


class LimitedProject(TypedDict):
    """The setting of a project."""

    maxRounds: Annotated[int | None, doc("from how many rounds of changes on no `offer` is taken; null: no limit", 2)]
