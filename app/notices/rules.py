"""Notices: who is notified of what, where, and in which words (decisions, section 19).

A *mailbox* is an address that notices are sent to: `email:` or `slack:` and the member's id, and `slack:` and the
project's id for what waits for everybody.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NotRequired, TypedDict

from app.core.actors import Actor, actor_name
from app.core.events import StoredEvent
from app.documents.record import StoredDocument
from app.notices.inbox import InboxEntry
from app.notices.member_fields import NO_NOTICES, Notify
from app.notices.schemas import MASK
from app.notices.vocabulary import Digest, WaitKind
from app.projects.rules import StoredMember
from app.review.rules import StoredThread

GATHERS = timedelta(seconds=60)
"""How long the notices after a first one wait, to be sent together."""
MOST_TEXT = 200
"""Maximum number of characters of a note or comment in a notice."""
TEST = "test"
"""The kind of the line of a test message."""
SHOWN = 4
"""How many characters of a Slack address are shown."""

KIND_TEXTS: Mapping[str, str] = {
    WaitKind.REVIEW: "Waits for review",
    WaitKind.CHANGES: "Changes were requested",
    WaitKind.THREAD: "A remark waits",
    WaitKind.MENTION: "You are mentioned",
    WaitKind.ASSIGNED: "Assigned to you",
    WaitKind.OVERDUE: "Overdue",
    WaitKind.PUBLISH_FAILED: "Could not be published",
    WaitKind.ROUNDS: "Sent back too often: people decide",
    TEST: "A test: notices reach you here",
}
"""The text of a notice for each kind of line."""


class NoticeLine(TypedDict):
    """One line of a notice."""

    kind: str
    documentId: str
    title: str
    by: str
    """Who did it; empty for nobody."""
    text: str
    """The beginning of the note or comment."""


class NewNotice(TypedDict):
    """A notice to be queued for a mailbox."""

    mailbox: str
    key: str
    """Identifies the notice, which is queued once: an event's id, or another unique text."""
    lines: list[NoticeLine]


Begun = tuple[StoredEvent | None, InboxEntry]
"""An inbox entry that began, with its event; None for one that became overdue."""
Receivers = Mapping[str | None, Sequence[str]]
"""The mailboxes of members by their id, and under None those of everybody."""


class StoredNotice(NewNotice):
    """A notice as the store returns it; one that was sent has no lines any more."""

    id: str
    projectId: str
    createdAt: datetime
    isPending: NotRequired[bool]


def masked(url: str | None) -> str | None:
    """Returns a Slack address as it is shown."""
    return url and MASK + url[-SHOWN:]


def notify_of(member: Mapping[str, Any]) -> Notify:
    """Returns a member's notification settings."""
    return member.get("notify") or NO_NOTICES


def mailboxes(member: StoredMember) -> list[str]:
    """Returns the mailboxes of a member."""
    notify = notify_of(member)
    channels = {"email": notify["email"], "slack": notify["slack"]}
    return [f"{channel}:{member['id']}" for channel, is_set in channels.items() if is_set]


def notice_line(line: InboxEntry, document: StoredDocument, thread: StoredThread | None) -> NoticeLine:
    """Returns the line of a notice for an inbox entry, given its document and thread."""
    by, text = said(line["kind"], document, thread)
    return NoticeLine(
        kind=line["kind"],
        documentId=line["documentId"],
        title=line["title"],
        by=actor_name(by) if by else "",
        text=text[:MOST_TEXT],
    )


def notices_of(
    pairs: Iterable[Begun], told: Iterable[NoticeLine], receivers: Receivers, owners: Mapping[str, str]
) -> list[NewNotice]:
    """Returns the notices of entries that began, each with its event; who caused an entry is not told of it.

    `told` are the lines of the entries, `owners` are the members of tokens. An entry that began with several events has
    one line. Who caused an entry gets a notice without lines, so that no later notice tells them of it.
    """
    found: dict[tuple[str, str], NewNotice] = {}
    listed: set[tuple[str | None, ...]] = set()
    for (event, line), shown in zip(pairs, told, strict=True):
        member_id = line["memberId"]
        waits = (member_id, line["kind"], line["documentId"], line["threadId"])
        is_own = event and member_id is not None and member_id == owners.get(event["by"]["id"] or "")
        lines = [] if is_own or waits in listed else [shown]
        # A document is reported as overdue once for each due date.
        is_overdue = line["kind"] == WaitKind.OVERDUE
        key = event["id"] if event and not is_overdue else f"overdue:{line['documentId']}:{line['since'][:10]}"
        for box in receivers.get(member_id, ()):
            found.setdefault((box, key), NewNotice(mailbox=box, key=key, lines=[]))["lines"] += lines
        if lines:
            listed.add(waits)
    return [*found.values()]


def is_wanted(notice: StoredNotice, member: StoredMember | None) -> bool:
    """Returns whether a notice is still wanted when it is to be sent: tests always, others unless they are off."""
    is_test = any(line["kind"] == TEST for line in notice["lines"])
    return is_test or member is None or notify_of(member)["digest"] != Digest.OFF


def said(kind: str, document: StoredDocument, thread: StoredThread | None) -> tuple[Actor | None, str]:
    """Returns who caused an inbox entry, and the note or comment."""
    review: Any = document.get("review")
    if kind == WaitKind.THREAD and thread:
        return thread["comments"][-1]["by"], thread["comments"][-1]["text"]
    if kind == WaitKind.MENTION and thread:
        naming = [one for one in thread["comments"] if "@" in one["text"]] or thread["comments"]
        return naming[-1]["by"], naming[-1]["text"]
    if kind == WaitKind.ASSIGNED:
        return document.get("assignedBy"), ""
    if kind in (WaitKind.CHANGES, WaitKind.ROUNDS) and review:
        return review["by"], review["note"]
    return (document.get("submittedBy"), "") if kind == WaitKind.REVIEW else (None, "")
