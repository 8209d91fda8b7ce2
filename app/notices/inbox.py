"""Inboxes: what waits for whom, derived from the records and never stored (decisions, section 19)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, cast

from typing_extensions import TypedDict

from app.core.documented import Id, Timestamp, doc, one_of
from app.core.events import StoredEvent
from app.core.times import wire_time
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.record import OPEN, StoredDocument, brief_of
from app.notices.vocabulary import WaitKind
from app.review.rules import ReviewedDocument, StoredThread

MOST_WAITING = 200
"""Maximum number of entries of an inbox."""

MENTIONED_FOR = timedelta(days=30)
"""How long a mention waits."""

ACTIONS: Mapping[WaitKind, str] = {
    WaitKind.REVIEW: "approve_document",
    WaitKind.CHANGES: "submit_document",
    WaitKind.THREAD: "reply_to_thread",
    WaitKind.MENTION: "reply_to_thread",
    WaitKind.ASSIGNED: "write_content",
    WaitKind.OVERDUE: "publish_document",
    WaitKind.PUBLISH_FAILED: "publish_document",
    WaitKind.ROUNDS: "mark_brief_ready",
}
"""The operation that ends each kind of waiting; `resolve_thread` for who opened an answered thread."""

RESOLVE = "resolve_thread"

BEGINS_WITH: Mapping[str, Collection[WaitKind]] = {
    "document.created": (WaitKind.ASSIGNED,),
    "document.submitted": (WaitKind.REVIEW,),
    "document.unscheduled": (WaitKind.REVIEW,),
    "document.changes_requested": (WaitKind.CHANGES, WaitKind.ROUNDS),
    "document.publish_failed": (WaitKind.PUBLISH_FAILED,),
    "thread.opened": (WaitKind.THREAD, WaitKind.MENTION),
    "thread.replied": (WaitKind.THREAD, WaitKind.MENTION),
    "thread.reopened": (WaitKind.THREAD,),
}
"""The kinds of entries that begin with an event, by its type."""
MAY_BE_OVERDUE = ("document.created", "document.restored", "document.unpublished")
"""The events after which a document with a past due date is overdue again, or for the first time."""
TOLD_OF = frozenset((*BEGINS_WITH, *MAY_BE_OVERDUE, "document.updated"))
"""The types of events with which an entry may begin."""
NEEDED = (
    *("title", "status", "statusSince", "updatedAt", "assigneeId", "dueDate", "isPublished", "publishFailedAt"),
    *("assignedAt", "assignedBy", "contentUpdatedAt", "brief.state"),
    *("review.at", "rounds", "roundsAt", "openSince"),
)
"""The fields of a document that decide which entries it has."""


class InboxEntry(TypedDict):
    """Something that waits for a member, or for everybody."""

    kind: Annotated[str, one_of(WaitKind), doc("why it waits", "review")]
    documentId: Annotated[Id, doc("the document")]
    title: Annotated[str, doc("its title", "How to begin a sourdough starter")]
    since: Annotated[Timestamp, doc("since when it waits")]
    action: Annotated[str, doc("the operation that ends it", "approve_document")]
    memberId: Annotated[Id | None, doc("the member whom it waits for; null: everybody")]
    threadId: Annotated[Id | None, doc("the thread; null for other kinds")]


@dataclass(frozen=True)
class Team:
    """The facts of a project that decide whose inbox an entry is in."""

    members: Collection[str]
    """The ids of the members who have not left."""
    owners: Mapping[str, str] = field(default_factory=dict)
    """The member to whom each token belongs, by token id."""
    max_rounds: int | None = None


def inbox(
    documents: Iterable[StoredDocument],
    threads: Iterable[tuple[StoredThread, str]],
    mentions: Iterable[tuple[StoredThread, str]],
    team: Team,
    now: datetime,
    member_id: str | None = None,
) -> list[InboxEntry]:
    """Returns what waits, the longest first; given a member, for them and for everybody.

    `threads` are answered ones, and `mentions` those in which members are named, each with the title of its document.
    """
    answers = (waiting_answer(thread, title, team) for thread, title in threads)
    found = [line for document in documents for line in waiting_in(document, team)] + [one for one in answers if one]
    found += [line for thread, title in mentions for line in waiting_mentions(thread, title, team, now)]
    begun_by, theirs = wire_time(now), (None, member_id)
    wanted = [line for line in found if line["since"] <= begun_by and (not member_id or line["memberId"] in theirs)]
    wanted.sort(key=lambda line: (line["since"], line["documentId"], line["kind"], line["threadId"] or ""))
    return wanted[:MOST_WAITING]


def waiting_in(document: StoredDocument, team: Team) -> list[InboxEntry]:
    """Returns what waits in a document for its assignee, else for everybody; some of it only from a later time on."""
    assignee = document.get("assigneeId")
    member_id = assignee if assignee in team.members else None
    found, reviewed = [*_since(document)], cast(ReviewedDocument, document)
    if team.max_rounds is not None and (rounds_at := reviewed.get("roundsAt")):
        found += [(WaitKind.ROUNDS, rounds_at, None)] if (reviewed.get("rounds") or 0) >= team.max_rounds else []
    return [
        InboxEntry(
            kind=kind,
            documentId=document["id"],
            title=document["title"],
            since=wire_time(at),
            action=ACTIONS[kind],
            memberId=member_id,
            threadId=thread_id,
        )
        for kind, at, thread_id in found
        if member_id or kind != WaitKind.ASSIGNED
    ]


def waiting_answer(thread: StoredThread, title: str, team: Team) -> InboxEntry | None:
    """Returns the entry of an answered thread, for the member who opened it; None if no member did."""
    member_id = team.owners.get(thread["openedBy"]["id"] or "")
    if member_id not in team.members:
        return None
    return InboxEntry(
        kind=WaitKind.THREAD,
        documentId=thread["documentId"],
        title=title,
        since=wire_time(thread["stateSince"]),
        action=RESOLVE,
        memberId=member_id,
        threadId=thread["id"],
    )


def waiting_mentions(thread: StoredThread, title: str, team: Team, now: datetime) -> list[InboxEntry]:
    """Returns the entries of a thread, one for each member who is named in it and did not answer."""
    return [
        InboxEntry(
            kind=WaitKind.MENTION,
            documentId=thread["documentId"],
            title=title,
            since=wire_time(mention["at"]),
            action=ACTIONS[WaitKind.MENTION],
            memberId=mention["memberId"],
            threadId=thread["id"],
        )
        for mention in thread.get("mentions") or ()
        if mention["memberId"] in team.members and mention["at"] >= now - MENTIONED_FOR
    ]


def waiting_since(document: Mapping[str, Any]) -> datetime | None:
    """Returns when a document's first entry begins, possibly in the future; rounds of changes do not count."""
    return min((at for _, at, _ in _since(document)), default=None)


def begun(event: StoredEvent, lines: Iterable[InboxEntry]) -> list[InboxEntry]:
    """Returns those of the lines of an event's document that began to wait for somebody with the event."""
    fields, thread_id, at = event["data"].get("fields", ()), event["data"].get("threadId"), wire_time(event["at"])
    if event["data"].get("imported"):
        return []
    anew = event["type"] in MAY_BE_OVERDUE or "dueDate" in fields
    is_assigned = "assigneeId" in fields or event["type"] == "document.restored"

    def begins(line: InboxEntry) -> bool:
        for_assignee = line["action"] != RESOLVE and line["since"] <= at
        if for_assignee and (is_assigned or (anew and line["kind"] == WaitKind.OVERDUE)):
            return True
        is_of_thread = line["threadId"] in (None, thread_id)
        return line["since"] == at and is_of_thread and line["kind"] in BEGINS_WITH.get(event["type"], ())

    return [line for line in lines if begins(line)]


def _is_begun(document: Mapping[str, Any], assigned_at: datetime) -> bool:
    """Returns whether an assigned document has a newer text, or its brief is offered or claimed."""
    taken = brief_of(document)["state"] in (BriefState.READY, BriefState.CLAIMED)
    return taken or document["contentUpdatedAt"] > assigned_at


def _since(document: Mapping[str, Any]) -> Iterator[tuple[WaitKind, datetime, str | None]]:
    """Yields the entries that follow from a document's own record: the kind, since when, and the thread."""
    status, review = document["status"], document.get("review")
    failed_at, due = document.get("publishFailedAt"), document.get("dueDate")
    if status == DocumentStatus.REVIEW:
        yield WaitKind.REVIEW, document.get("statusSince", document["updatedAt"]), None
    if status in OPEN and review:
        yield WaitKind.CHANGES, review["at"], None
    elif status in OPEN and (assigned_at := document.get("assignedAt")) and not _is_begun(document, assigned_at):
        yield WaitKind.ASSIGNED, assigned_at, None
    for thread_id, at in (document.get("openSince") or {}).items():
        yield WaitKind.THREAD, at, thread_id
    if due and not document["isPublished"] and due < date.max.isoformat():
        yield WaitKind.OVERDUE, datetime.combine(date.fromisoformat(due) + timedelta(days=1), time(), UTC), None
    if failed_at and failed_at == document["updatedAt"]:
        yield WaitKind.PUBLISH_FAILED, failed_at, None
