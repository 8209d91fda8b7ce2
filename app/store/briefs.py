"""Briefs, kept in the records of their documents; each move is one atomic write."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from app.rules.briefs import OPEN, Move, MoveRequest
from app.rules.events import Event
from app.store.collection import EntityTags, Record, object_id
from app.store.conditions import (
    brief_move_filter,
    brief_state_filters,
    etag_filter,
    expire_lease_stage,
    lease_expired_filter,
    not_deleted,
)
from app.store.documents import DocumentRecords
from app.store.indexes import BRIEFS_BY_DUE
from app.vocabulary import BriefState

SOONEST_DUE = (("dueKey", 1), ("createdAt", 1), ("_id", 1))
LIST_ITEM = (
    *("title", "status", "dueDate", "categoryName"),
    *("brief.keyword", "brief.intent", "brief.state", "brief.claimExpiresAt"),
)


class Briefs(DocumentRecords):
    """The briefs of a project's documents."""

    def list(
        self, project_id: str, states: Sequence[BriefState], now: datetime, *, limit: int, offset: int
    ) -> list[Record]:
        """Returns one page of documents with a brief in one of the states, due soonest first."""
        branches = []
        for state in states:
            open_only = {"status": {"$in": list(OPEN)}} if state == BriefState.READY else {}
            branches += [not_deleted(stands | open_only) for stands in brief_state_filters((state,), now)]
        fields = dict.fromkeys(LIST_ITEM, 1)
        return self._find(project_id, {"$or": branches}, sort=SOONEST_DUE, skip=offset, limit=limit, fields=fields)

    def move(
        self,
        project_id: str,
        document_id: str,
        move: Move,
        request: MoveRequest,
        *,
        changes: Mapping[str, Any],
        event: Event,
        tags: EntityTags,
    ) -> Record | None:
        """Makes a move of the table of brief states if the brief stands where the move leaves from."""
        condition = {"$and": [brief_move_filter(move, request), *etag_filter(tags, request.now)]}
        return self.change(project_id, document_id, condition, event=event, changes=_entering(move, changes))

    def claim_next(
        self,
        project_id: str,
        within: Mapping[str, str],
        move: Move,
        request: MoveRequest,
        changes: Mapping[str, Any],
        event: Event,
    ) -> Record | None:
        """Claims the ready brief that is due soonest, in one atomic write; None when there is none.

        Leases that ran out by then are written down first, so that one index has all that is ready in its order.
        """
        place: Record = {name: object_id(value) for name, value in within.items()}
        if None in place.values():
            return None  # what is no id names no category and no cluster; null would mean those without
        self.expire(request.now, project_id)
        ready = {"brief.state": {"$in": list(move.leaves)}, "status": {"$in": list(OPEN)}}
        return self.change_first(
            project_id,
            not_deleted(place | ready),
            event=event,
            changes=_entering(move, changes),
            sort=SOONEST_DUE,
            index=BRIEFS_BY_DUE.name,
        )

    def write(
        self, project_id: str, document_id: str, fields: Mapping[str, Any], event: Event, tags: EntityTags
    ) -> Record | None:
        """Sets fields of a brief, null for unset, if that changes something; the brief's state stays."""
        differs: list[Record] = [{f"brief.{name}": {"$ne": value}} for name, value in fields.items()]
        condition: Record = {"$and": [{"$or": [*differs, {"brief": None}]}, *etag_filter(tags, event.at)]}
        return self.change(
            project_id,
            document_id,
            condition,
            event=event,
            changes={f"brief.{name}": value for name, value in fields.items()},
            computed={"brief.state": {"$ifNull": ["$brief.state", str(BriefState.NONE)]}},
        )

    def expire(self, now: datetime, project_id: str | None = None) -> builtins.list[str]:
        """Writes down claims whose lease ran out, of one project or of all; returns the documents' ids.

        Each is written down once, by whoever comes first: a worker, the next claim, or the next write of the document.
        """
        lost = not_deleted(lease_expired_filter(now))
        if project_id is not None:
            lost = self._where(project_id, lost)
        found = builtins.list(self._collection.find(lost, {"_id": 1}, session=self._session))
        noted: Record = {"$set": {"rev": {"$add": ["$rev", 1]}, "updatedAt": now}}
        return [
            str(row["_id"])
            for row in found
            if self._collection.update_one(
                {"_id": row["_id"], **lost}, [*expire_lease_stage(now), noted], session=self._session
            ).modified_count
        ]


def _entering(move: Move, changes: Mapping[str, Any]) -> Record:
    """Returns what a move writes: the new state, and `changes` of the brief (`status` is the document's)."""
    named = {("status" if name == "status" else f"brief.{name}"): value for name, value in changes.items()}
    return {"brief.state": move.enters, **named}
