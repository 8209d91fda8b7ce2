"""Briefs, stored in the records of their documents: lists of them, the next ones to claim, and expired leases."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from app.rules.documents import ListedBrief, StoredDocument
from app.store.collection import object_id
from app.store.document_keys import (
    CLOSED,
    HIDDEN,
    MISSING,
    DocumentRecords,
    adds_expired,
    brief_entries,
    expired,
    lease_filter,
)
from app.store.indexes import BY_DUE_DATE, EXPIRED_LEASES, FIRST_ID
from app.store.types import Bson
from app.vocabulary import BriefState

SOONEST_DUE = (("dueKey", 1), ("createdAt", 1), ("_id", 1))
LIST_ITEM = dict.fromkeys(
    (
        *("title", "status", "dueDate", "categoryId", "createdAt"),
        *("brief.keyword", "brief.intent", "brief.state", "brief.claimExpiresAt"),
    ),
    1,
)
EXPIRED_AT_ONCE = 250
"""Of how many claims of a project it is recorded that they expired before the next project has its turn."""


class Briefs(DocumentRecords):
    """The briefs of a project's documents, in the collection of `Documents`; neither class uses the other."""

    def list(
        self, project_id: str, states: Sequence[BriefState], now: datetime, *, limit: int, offset: int
    ) -> Sequence[ListedBrief]:
        """Returns one page of documents with a brief in one of the states, due soonest first."""
        return self._soonest_due(project_id, states, {}, now, limit=limit, offset=offset, fields=LIST_ITEM)

    def next_ready(
        self, project_id: str, filters: Mapping[str, str], now: datetime, *, limit: int
    ) -> Sequence[StoredDocument]:
        """Returns documents whose briefs are ready, due soonest first; `filters` may name a category and a cluster."""
        ids = {name: object_id(value) for name, value in filters.items()}
        if None in ids.values():
            return []  # no category or cluster has this id; in the condition, null means documents without one
        return self._soonest_due(project_id, [BriefState.READY], ids, now, limit=limit, offset=0, fields=HIDDEN)

    def _soonest_due(
        self,
        project_id: str,
        states: Sequence[BriefState],
        filters: Bson,
        now: datetime,
        *,
        limit: int,
        offset: int,
        fields: Bson,
    ) -> Sequence[Any]:
        condition = _listed(states, now) | filters
        read_page = partial(self._page_in_order, project_id, condition, BY_DUE_DATE, sort=SOONEST_DUE, fields=fields)
        if not adds_expired(states):
            return read_page(limit=limit, offset=offset)
        return self._page_with_expired(
            project_id, {**expired(now), **filters}, read_page, SOONEST_DUE, limit=limit, offset=offset, fields=fields
        )

    def find_projects_with_expired(self, now: datetime) -> Sequence[str]:
        """Returns the projects with claims whose lease has expired and that are stored as claimed."""
        rows = self._collection.aggregate(
            [{"$match": {"projectId": {"$gte": FIRST_ID}, **expired(now)}}, {"$group": {"_id": "$projectId"}}]
        )
        return [str(row["_id"]) for row in rows]

    def find_expired(self, project_id: str, now: datetime) -> Sequence[StoredDocument]:
        """Returns documents whose brief is stored as claimed although its lease has expired."""
        return self._find(project_id, expired(now), limit=EXPIRED_AT_ONCE, fields=HIDDEN, index=EXPIRED_LEASES)


def _listed(states: Sequence[BriefState], now: datetime) -> Bson:
    """Returns the condition of a list: documents that have a brief; ready ones while they are offered."""
    entries = [one for one in brief_entries(states) if one not in (CLOSED, MISSING)]
    return {"listed": {"$in": entries}, **lease_filter(states, now)}
