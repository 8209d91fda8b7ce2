"""Briefs, stored in the records of their documents; each move is one atomic write."""

import builtins
import random
from collections.abc import Mapping, Sequence
from datetime import datetime

from app.rules.briefs import CLAIM, BriefMove, MoveRequest
from app.rules.documents import ListedBrief, StoredDocument
from app.rules.events import Event
from app.store.collection import DESCENDING, EntityTags, object_id
from app.store.conditions import (
    brief_move_filter,
    document_etag_filter,
    expire_lease_stage,
    lease_expired_filter,
    listed_brief_filters,
    not_guarded_filter,
)
from app.store.document_records import DocumentRecords
from app.store.indexes import BRIEFS_BY_DUE, EXPIRED_LEASES, NOT_DELETED, READY_BRIEFS
from app.store.types import Bson, Values
from app.vocabulary import BriefState

SOONEST_DUE = (("dueKey", 1), ("createdAt", 1), ("_id", 1))
LIST_ITEM = dict.fromkeys(
    (
        *("title", "status", "dueDate", "categoryId"),
        *("brief.keyword", "brief.intent", "brief.state", "brief.claimExpiresAt"),
    ),
    1,
)
EXPIRED_AT_ONCE = 250
"""Of how many claims of a project it is recorded that they expired before the next project has its turn."""
MOST_SKIPPED = 50
"""Among how many briefs, after the one that is due soonest, transactions that want the same one are spread."""

SAME_STATE: Bson = {"brief.state": {"$ifNull": ["$brief.state", BriefState.NONE]}}
"""The expression that writing a brief adds: its state stays, and a new one is in `none`."""


class Briefs(DocumentRecords):
    """The briefs of a project's documents, in the collection of `Documents`; neither class uses the other."""

    def list(
        self, project_id: str, states: Sequence[BriefState], now: datetime, *, limit: int, offset: int
    ) -> Sequence[ListedBrief]:
        """Returns one page of documents with a brief in one of the states, due soonest first."""
        if states == [BriefState.READY] and offset == 0:
            first = self._first_ready(project_id, now, limit)
            if first is not None:
                return first
        condition = self._listed(project_id, states, now)
        return self._page_in_order(
            project_id, condition, BRIEFS_BY_DUE, sort=SOONEST_DUE, offset=offset, limit=limit, fields=LIST_ITEM
        )

    def _first_ready(self, project_id: str, now: datetime, limit: int) -> Sequence[ListedBrief] | None:
        """Returns the first page of ready briefs by one query; None where a lease has expired.

        This is the most frequent query of agents. The index has expired leases before all other ready briefs, whenever
        they are due, so the first row shows whether there are any. A query for them took a third of the request.
        """
        conditions = listed_brief_filters([BriefState.READY], now, any_expired=True)
        rows = self._find(
            project_id,
            {"$or": [one | NOT_DELETED for one in conditions]},
            sort=(("brief.claimExpiresAt", DESCENDING), *SOONEST_DUE),
            limit=limit,
            fields=LIST_ITEM,
            index=READY_BRIEFS,
        )
        return None if rows and rows[0]["brief"].get("claimExpiresAt") is not None else rows

    def _listed(self, project_id: str, states: Sequence[BriefState], now: datetime) -> Bson:
        """Returns the condition for documents whose brief is listed under one of the states now."""
        leased = BriefState.READY in states or BriefState.CLAIMED in states
        any_expired = leased and self.has_expired_leases(project_id, now)
        conditions = [one | NOT_DELETED for one in listed_brief_filters(states, now, any_expired=any_expired)]
        return conditions[0] if len(conditions) == 1 else {"$or": conditions}

    def move(
        self,
        project_id: str,
        document_id: str,
        move: BriefMove,
        request: MoveRequest,
        *,
        changes: Values,
        event: Event,
        tags: EntityTags,
    ) -> StoredDocument | None:
        """Makes a move of the table of brief states; None where the brief, or the `tags`, do not allow it."""
        condition = {"$and": [brief_move_filter(move, request), document_etag_filter(tags, request.now)]}
        condition |= self._id_filter(document_id)
        return self._change(project_id, condition, event=event, changes=move_changes(move, changes))

    def claim_next(
        self,
        project_id: str,
        filters: Mapping[str, str],
        now: datetime,
        changes: Values,
        event: Event,
    ) -> StoredDocument | None:
        """Claims the ready brief that is due soonest, in one atomic write; None when there is none.

        A read before it finds out whether any lease expired, so that the write's condition fits one index.
        A transaction that lost the soonest to others claims one of the next, as others are about to take the first.
        """
        ids = {name: object_id(value) for name, value in filters.items()}
        if None in ids.values():
            return None  # no category or cluster has this id; in the condition, null means documents without one
        condition = ids | self._listed(project_id, CLAIM.leaves, now)
        written = move_changes(CLAIM, changes)
        if self._store.lost_to_others and (picked := self._one_of_the_next(project_id, condition)):
            return self._change(project_id, self._id_filter(picked) | condition, event=event, changes=written)
        return self._change(project_id, condition, event=event, changes=written, sort=SOONEST_DUE, index=BRIEFS_BY_DUE)

    def _one_of_the_next(self, project_id: str, condition: Bson) -> str | None:
        """Returns the id of one of the briefs due soonest, chosen at random, from more of them after each lost try.

        MongoDB aborts a transaction that writes what another one writes; it has no `SKIP LOCKED`. When all try again
        for the first brief, all but one are aborted again, and the unluckiest waits for all others.
        """
        others = min(4 * self._store.lost_to_others, MOST_SKIPPED)
        rows = self._find(
            project_id, condition, sort=SOONEST_DUE, limit=others + 1, fields={"_id": 1}, index=BRIEFS_BY_DUE
        )
        return random.choice(rows)["id"] if rows else None

    def write(
        self,
        project_id: str,
        document_id: str,
        fields: Values,
        request: MoveRequest,
        event: Event,
        tags: EntityTags,
    ) -> StoredDocument | None:
        """Sets fields of a brief, null for unset.

        Returns None where nothing would change, a claim guards the document, or `tags` name other states.
        """
        differs: list[Bson] = [{f"brief.{name}": {"$ne": value}} for name, value in fields.items()]
        condition: Bson = {
            "$and": [
                {"$or": [*differs, {"brief": None}]},
                not_guarded_filter(request),
                document_etag_filter(tags, request.now),
            ]
        }
        condition |= self._id_filter(document_id)
        return self._change(project_id, condition, event=event, changes=of_brief(fields), computed=SAME_STATE)

    def find_projects_with_expired(self, now: datetime) -> builtins.list[str]:
        """Returns the projects with claims whose lease expired."""
        stages = [{"$match": lease_expired_filter(now) | NOT_DELETED}, {"$group": {"_id": "$projectId"}}]
        rows = self._collection.aggregate(stages, session=self._session)
        return [str(row["_id"]) for row in rows]

    def find_expired(self, project_id: str, now: datetime) -> builtins.list[str]:
        """Returns the ids of a batch of a project's documents whose claim's lease expired."""
        condition = lease_expired_filter(now) | NOT_DELETED
        rows = self._find(project_id, condition, limit=EXPIRED_AT_ONCE, fields={"_id": 1}, index=EXPIRED_LEASES)
        return [row["id"] for row in rows]

    def expire_lease(self, project_id: str, document_id: str, now: datetime) -> bool:
        """Records that the lease of a claim expired; False where a worker or a write of the document did so before."""
        expired = self._where(project_id, self._id_filter(document_id) | lease_expired_filter(now))
        stages = [expire_lease_stage(now), {"$set": {"rev": {"$add": ["$rev", 1]}, "updatedAt": now}}]
        written = self._collection.update_one(expired, stages, session=self._session, hint="_id_")
        return written.modified_count > 0


def of_brief(fields: Values) -> Bson:
    """Returns fields of a brief as fields of its document."""
    return {f"brief.{name}": value for name, value in fields.items()}


def move_changes(move: BriefMove, changes: Values) -> Bson:
    """Returns the fields of a document that a move writes: the new state, with `changes` of the brief."""
    status = {"status": move.document_status} if move.document_status else {}
    return {"brief.state": move.enters, **of_brief(changes), **status}
