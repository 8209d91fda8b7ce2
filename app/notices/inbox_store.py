"""The inboxes of members, read from the records by index (decisions, section 19)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, cast

from app.core.store.collection import object_ids
from app.core.store.indexes import FIRST_DATE, NOT_DELETED, index
from app.documents.indexes import BY_DUE_DATE
from app.documents.keys import published_entry
from app.documents.lists import DocumentLists
from app.documents.store import Documents
from app.notices.inbox import MENTIONED_FOR, MOST_WAITING, NEEDED, InboxEntry, Team, inbox
from app.projects.store import Members, Projects
from app.projects.token_store import Tokens
from app.review.store import Threads

if TYPE_CHECKING:
    from app.core.store.store import Store
    from app.core.store.types import Bson
    from app.documents.record import StoredDocument
    from app.review.rules import StoredThread

MOST_THREADS = 1_000
"""Maximum number of answered threads read: more than an inbox has, as those of documents in the trash are left out."""


WAITING_SINCE = index(
    "documents",
    "projectId waitingSince assigneeId",
    "what waits for somebody, the longest first",
    {"deletedAt": None, "waitingSince": {"$gt": FIRST_DATE}},
)
ROUNDS_AT = index(
    "documents",
    "projectId roundsAt assigneeId rounds",
    "documents whose rounds of changes may be exhausted",
    {"deletedAt": None, "roundsAt": {"$gt": FIRST_DATE}},
)


class WaitingDocuments(DocumentLists):
    """The documents of a project in which something waits."""

    def waiting(
        self, project_id: str, now: datetime, max_rounds: int | None, *, not_of: Iterable[str], limit: int
    ) -> Sequence[StoredDocument]:
        """Returns what has waited longest for somebody, and what has at least so many rounds of changes.

        At most `limit` of each, the longest ago first, without those of the assignees `not_of`.
        """
        others = object_ids(not_of)
        of_others: Bson = {"assigneeId": {"$nin": others}} if others else {}
        read = partial(self._find, project_id, limit=limit, fields=dict.fromkeys(NEEDED, 1))
        due = {"waitingSince": {"$gt": FIRST_DATE, "$lte": now}, **of_others, **NOT_DELETED}
        found = read(due, sort=(("waitingSince", 1),), index=WAITING_SINCE)
        if max_rounds is None:
            return found
        often = {"roundsAt": {"$gt": FIRST_DATE}, "rounds": {"$gte": max_rounds}, **of_others, **NOT_DELETED}
        return [*found, *read(often, sort=(("roundsAt", 1),), index=ROUNDS_AT)]

    def overdue_since(self, project_id: str, day: str) -> Sequence[StoredDocument]:
        """Returns the documents that were due on a day and are not published."""
        condition = {"listed": published_entry(False), "dueKey": day}
        return self._find(project_id, condition, fields=self.hidden, index=BY_DUE_DATE)


class Inboxes:
    """The inboxes of a project's members."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, project_id: str, now: datetime, member_id: str | None = None) -> list[InboxEntry]:
        """Returns what waits, the longest first; given a member, for them and for everybody.

        Each list is read in the order of its index and no longer than an inbox is, which leaves nothing out: a document
        that waits for less long than 200 others has nothing among the 200 that wait longest.
        """
        store, team = self._store, self.team(project_id)
        others = [one for one in team.members if one != member_id] if member_id else []
        rows = store[WaitingDocuments].waiting(project_id, now, team.max_rounds, not_of=others, limit=MOST_WAITING)
        documents = {row["id"]: row for row in rows}.values()
        answered = self._answered(project_id, team, member_id)
        return inbox(documents, answered, self._mentions(project_id, team, now, member_id), team, now, member_id)

    def _answered(self, project_id: str, team: Team, member_id: str | None) -> list[tuple[StoredThread, str]]:
        """Returns the answered threads of members, each with the title of its document; none of the trash."""
        tokens = [token for token, owner in team.owners.items() if member_id in (None, owner) and owner in team.members]
        threads = self._store[Threads].answered(project_id, tokens, MOST_THREADS) if tokens else []
        return self._titled(project_id, threads)

    def _mentions(
        self, project_id: str, team: Team, now: datetime, member_id: str | None
    ) -> list[tuple[StoredThread, str]]:
        """Returns the threads in which members are named, each with the title of its document; none of the trash."""
        members = team.members if member_id is None else {member_id} & {*team.members}
        since = now - MENTIONED_FOR
        threads = self._store[Threads].mentioning(project_id, members, since, MOST_THREADS) if members else []
        return self._titled(project_id, threads)

    def _titled(self, project_id: str, threads: Sequence[StoredThread]) -> list[tuple[StoredThread, str]]:
        documents = self._store[Documents].get_links(project_id, {thread["documentId"] for thread in threads})
        titles = {document["id"]: document["title"] for document in documents}
        return [(thread, titles[one]) for thread in threads if (one := thread["documentId"]) in titles]

    def team(self, project_id: str) -> Team:
        """Returns the project's fields that decide for whom something waits."""
        members = frozenset(self._store[Members].ids(project_id))
        most = self._store[Projects].settings(project_id).get("maxRounds")
        return Team(members, self._store[Tokens].owners(project_id), cast(int | None, most))
