"""The notices of each mailbox; `app/notices/sender.py` sends them (decisions, section 19)."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NotRequired

from pymongo import InsertOne

from app.core.events import StoredEvent
from app.core.store.collection import Collection, new_id, object_ids, to_bson, write_once
from app.core.store.indexes import FIRST_ID, NOT_DELETED
from app.core.store.store import Store
from app.documents.store import Documents
from app.notices.inbox import TOLD_OF, InboxEntry, Team, begun, waiting_answer, waiting_in, waiting_mentions
from app.notices.inbox_store import Inboxes, WaitingDocuments
from app.notices.rules import Begun, NewNotice, NoticeLine, Receivers, StoredNotice, mailboxes, notice_line, notices_of
from app.notices.vocabulary import Digest, WaitKind
from app.outbound.leases import LeaseQueue, StoredLease
from app.projects.rules import StoredMember
from app.projects.store import Members, Projects
from app.review.store import Threads
from app.review.vocabulary import ThreadState

TEST_KEY = "test:"
"""Prefix of the keys of tests, before an id, so that the last one sorts last."""
MOST_SENT = 10_000
"""Maximum notices of a mailbox that are sent together; a message shows the first lines, and counts the others."""


class NotifiedMembers(Members):
    """The members of a project, by their notification settings."""

    def with_digest(self, project_id: str, digest: Digest) -> Sequence[StoredMember]:
        """Returns the members with a given `digest`."""
        return self._find(project_id, {"notify.digest": digest, **NOT_DELETED}, fields=self.hidden)

    def told_daily(self, hour: int) -> Sequence[StoredMember]:
        """Returns the members of all projects who get a daily notice at an hour."""
        told = {"projectId": {"$gte": FIRST_ID}, "notify.digest": Digest.DAILY, "notify.hour": hour, **NOT_DELETED}
        return [self.from_bson(row) for row in self._collection.find(told, self.hidden)]


def queue_notices(store: Store, project_id: str, events: Sequence[StoredEvent], now: datetime) -> None:
    """Queues the instant notices of events that were relayed."""
    store[Notices].queue(project_id, events, now)


class Notices(Collection[StoredNotice]):
    """The notices of a project."""

    name = "notices"

    def queue(self, project_id: str, events: Iterable[StoredEvent], now: datetime) -> None:
        """Queues the instant notices of events, except those that are queued already."""
        told_of = [event for event in events if event["type"] in TOLD_OF]
        receivers = self._receivers(project_id) if told_of else {}
        if receivers:
            team = self._store[Inboxes].team(project_id)
            self._queue(project_id, self._begun(project_id, told_of, team), receivers, team, now)

    def queue_overdue(self, project_id: str, now: datetime) -> None:
        """Queues notices of what is overdue since the day of `now` began, for those with instant notices."""
        if receivers := self._receivers(project_id):
            team = self._store[Inboxes].team(project_id)
            yesterday = (now.date() - timedelta(days=1)).isoformat()
            pairs: list[Begun] = [
                (None, line)
                for document in self._store[WaitingDocuments].overdue_since(project_id, yesterday)
                for line in waiting_in(document, team)
                if line["kind"] == WaitKind.OVERDUE
            ]
            self._queue(project_id, pairs, receivers, team, now)

    def queue_digest(self, project_id: str, member_id: str, boxes: Sequence[str], now: datetime) -> None:
        """Queues a member's inbox as it is, once for each hour; where it is empty then, nothing is sent."""
        key = f"digest:{now:%Y-%m-%dT%H}"
        if self._count(project_id, {"mailbox": {"$in": [*boxes]}, "key": key}) < len(boxes):
            lines = self._told(project_id, self._store[Inboxes].read(project_id, now, member_id))
            self.add(project_id, [NewNotice(mailbox=box, key=key, lines=lines) for box in boxes], now)
        self._wake(project_id, boxes, now)  # notices, too, of a worker that was killed before this

    def add(self, project_id: str, new: Sequence[NewNotice], now: datetime) -> None:
        """Queues notices, except what is queued already; one without lines is noted, and not sent."""
        rows = [{**one, "createdAt": now, "isPending": bool(one["lines"])} for one in new]
        inserts = [InsertOne(to_bson({"id": new_id(), "projectId": project_id, **row})) for row in rows]
        write_once(self._collection, inserts, ["projectId", "mailbox", "key"])
        self._wake(project_id, {one["mailbox"] for one in new if one["lines"]}, now)

    def pending(self, project_id: str, mailbox: str) -> list[StoredNotice]:
        """Returns the notices of a mailbox that are to be sent, the oldest first."""
        return self._find(project_id, {"mailbox": mailbox, "isPending": True}, sort=(("_id", 1),), limit=MOST_SENT)

    def last_test(self, project_id: str, mailbox: str) -> StoredNotice | None:
        """Returns the last test of a mailbox, None where there was none in the last days."""
        is_test = {"mailbox": mailbox, "key": {"$gte": TEST_KEY, "$lt": TEST_KEY + "g"}}
        tests = self._find(project_id, is_test, sort=(("key", -1),), limit=1)
        return next(iter(tests), None)

    def add_test(self, project_id: str, boxes: Sequence[str], line: NoticeLine, now: datetime) -> None:
        """Queues a test for mailboxes, which is tried now also where earlier attempts failed."""
        key = f"{TEST_KEY}{new_id()}"
        self.add(project_id, [NewNotice(mailbox=box, key=key, lines=[line]) for box in boxes], now)
        for box in boxes:
            self._store[NoticeLeases].wake(project_id, box, now, end_rest=True)

    def settle(self, project_id: str, notices: Iterable[StoredNotice]) -> None:
        """Notes that notices were sent, or given up; their keys stay until they expire, without the lines."""
        these = self._where(project_id, {"_id": {"$in": object_ids(one["id"] for one in notices)}})
        self._collection.update_many(these, {"$set": {"isPending": False, "lines": []}})

    def _wake(self, project_id: str, boxes: Iterable[str], now: datetime) -> None:
        for mailbox in boxes:
            self._store[NoticeLeases].wake(project_id, mailbox, now)

    def _queue(self, project_id: str, pairs: Sequence[Begun], receivers: Receivers, team: Team, now: datetime) -> None:
        """Queues notices of the entries that began, each with its event."""
        told = self._told(project_id, [line for _, line in pairs])
        self.add(project_id, notices_of(pairs, told, receivers, team.owners), now)

    def _receivers(self, project_id: str) -> Receivers:
        """Returns the mailboxes with instant notices, by the member's id; None for those of everybody."""
        members = self._store[NotifiedMembers].with_digest(project_id, Digest.INSTANT)
        slack = self._store[Projects].settings(project_id).get("slack")
        receivers: dict[str | None, Sequence[str]] = {member["id"]: mailboxes(member) for member in members}
        return {**receivers, None: [f"slack:{project_id}"]} if slack else receivers

    def _begun(self, project_id: str, events: Sequence[StoredEvent], team: Team) -> list[Begun]:
        """Returns the lines that began to wait with one of the events and still wait, each with its event."""
        documents = self._store[Documents].get_many(project_id, {one["data"]["documentId"] for one in events})
        threads = self._store[Threads].get_many(project_id, {one["data"].get("threadId", "") for one in events})
        pairs: list[Begun] = []
        for event in events:
            document = documents.get(event["data"]["documentId"])
            thread = threads.get(event["data"].get("threadId", ""))
            if document is None or document["deletedAt"] is not None:
                continue
            lines = waiting_in(document, team)
            if thread and thread["state"] == ThreadState.ANSWERED:
                lines += filter(None, [waiting_answer(thread, document["title"], team)])
            if thread:
                lines += waiting_mentions(thread, document["title"], team, event["at"])
            pairs += [(event, line) for line in begun(event, lines)]
        return pairs

    def _told(self, project_id: str, lines: Sequence[InboxEntry]) -> list[NoticeLine]:
        """Returns the line of a notice for each inbox entry."""
        documents = self._store[Documents].get_many(project_id, {line["documentId"] for line in lines})
        threads = self._store[Threads].get_many(project_id, {line["threadId"] for line in lines if line["threadId"]})
        return [notice_line(line, documents[line["documentId"]], threads.get(line["threadId"] or "")) for line in lines]


class MailboxLease(StoredLease):
    """The lease of a mailbox."""

    gathersUntil: NotRequired[datetime]
    """Until when the notices after a first one wait, to be sent together."""
    lastFailure: NotRequired[str]
    """Why the last attempt failed that did."""
    lastFailureAt: NotRequired[datetime]
    """When that was over."""


class NoticeLeases(LeaseQueue[MailboxLease]):
    """The leases of the mailboxes that notices are sent to, whose ids are texts (`app/notices/rules.py`)."""

    name = "noticeLeases"
    record_id = staticmethod(str)

    def get(self, project_id: str, mailbox: str) -> MailboxLease | None:
        """Returns the lease of a mailbox, None where nothing was ever queued for it."""
        return self._find_one(project_id, {"_id": mailbox})

    def note_failure(self, project_id: str, mailbox: str, why: str, at: datetime) -> None:
        """Notes why an attempt failed, which the member sees who sent a test."""
        failure = {"lastFailure": why, "lastFailureAt": at}
        self._collection.update_one(self._one(project_id, mailbox), {"$set": failure})

    def gather(self, project_id: str, mailbox: str, until: datetime) -> None:
        """Has the notices of a mailbox wait until an instant, to be sent together."""
        self._collection.update_one(self._one(project_id, mailbox), {"$set": {"gathersUntil": until}})
