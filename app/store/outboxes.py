"""The outbox relay: moves events from the records' outboxes to the feed, in order, once, numbered without a gap.

A project's feed has one record with the last sequence number and the *plan* of the batch that is being moved: which
events get which numbers. Writing the plan is one atomic update, on the condition that no other relay has numbered
events since the outboxes were read. Applying it is a series of idempotent writes. So any number of relays may run at
once, and when one is killed, the next one applies its plan.

It uses no transaction: when a process dies inside one, MongoDB keeps its locks for a minute and more, and during that
time the documents whose events were being moved could not be written.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, cast

from bson import ObjectId
from pymongo import InsertOne, ReturnDocument
from pymongo.client_session import ClientSession
from pymongo.errors import DuplicateKeyError, OperationFailure

from app.errors import WriteConflict
from app.rules.events import in_feed_order
from app.store.collection import write_once
from app.store.feeds import Origin, PlannedEvent, StoredFeed, WaitingEvent, WaitingRecord, feeds_of, new_feed
from app.store.indexes import FIRST_DATE, FIRST_ID, OUTBOXES, WAITING
from app.store.types import Bson

if TYPE_CHECKING:
    from app.store.store import Store

BATCH = 250
"""The most events of one plan, which has to fit into a record."""

TOMBSTONES = ("categories", "clusters", "webhooks")
"""The collections whose deleted records stay, with `deletedAt`, until their last event has been moved."""

ANYWHERE: Bson = {"projectId": {"$gte": FIRST_ID}, "outbox.at": {"$gte": FIRST_DATE}}
"""Records of any project with events in their outbox; it lets MongoDB skip along the index from project to project."""

TRIES, PAUSE_SECONDS = 30, 0.05
"""How often, and after what pause, a snapshot is asked for while there is none."""
NO_SNAPSHOT = (239, 246)
"""MongoDB's codes for: a collection or index was created a moment ago, so there is no snapshot of it yet."""


class Outboxes:
    """The outboxes of all records."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = store.database
        self._feeds = feeds_of(store.database)

    def projects_waiting(self) -> list[str]:
        """Returns the projects that have events in outboxes, reading one index key for each project."""
        found = self._across([{"$match": ANYWHERE}, {"$group": {"_id": "$projectId"}}])
        return sorted({str(row["_id"]) for row in found})

    def publish_all(self, project_id: str) -> int:
        """Moves the events from a project's outboxes to its feed until there is none, or another relay was first.

        Returns how many this relay moved.
        """
        moved = 0
        while events := self.publish_batch(project_id):
            moved += events
        return moved

    def publish_batch(self, project_id: str) -> int:
        """Moves up to a batch of events from a project's outboxes to its feed; returns how many.

        0 means that the outboxes are empty, or that another relay was first.
        """
        feed, waiting = self._read(project_id)
        planned = feed if feed["plan"] else self._plan(feed, waiting)
        if planned is None:
            return 0
        self._apply_batch(project_id, planned["plan"], planned.get("plannedAt") or planned["plan"][-1]["at"])
        return len(planned["plan"])

    def _read(self, project_id: str) -> tuple[StoredFeed, list[WaitingRecord]]:
        """Returns a project's feed and the records with events for it, as they were at one instant."""
        stages: list[Bson] = [
            {"$match": {"projectId": ObjectId(project_id), **WAITING}},
            {"$sort": {"outbox.at": 1}},
            {"$limit": BATCH},
            {"$project": {"outbox": 1}},
        ]
        no_snapshot: OperationFailure | None = None
        for _ in range(TRIES):
            try:
                with self._database.client.start_session(snapshot=True) as snapshot:
                    feed = self._feeds.find_one({"_id": ObjectId(project_id)}, session=snapshot)
                    if feed:
                        waiting = [] if feed["plan"] else list(self._across(stages, snapshot))
                        return feed, cast(list[WaitingRecord], waiting)
            except OperationFailure as error:
                if error.code not in NO_SNAPSHOT:
                    raise
                no_snapshot = error
                time.sleep(PAUSE_SECONDS)
            else:
                with suppress(DuplicateKeyError):  # another relay created it
                    self._feeds.insert_one(new_feed(project_id))
        raise WriteConflict from no_snapshot

    def _across(self, stages: Sequence[Bson], session: ClientSession | None = None) -> Iterable[Bson]:
        """Runs a pipeline on every collection with an outbox; adds the collection's name to each row."""
        first, *others = ([*stages, {"$set": {"collection": name}}] for name in OUTBOXES)
        unions = [
            {"$unionWith": {"coll": name, "pipeline": pipeline}}
            for name, pipeline in zip(OUTBOXES[1:], others, strict=True)
        ]
        return self._database[OUTBOXES[0]].aggregate([*first, *unions], session=session)

    def _plan(self, feed: StoredFeed, waiting: Sequence[WaitingRecord]) -> StoredFeed | None:
        """Writes the plan: which events get the next numbers. Returns the feed with it; None where there is none.

        There is none without events, and when another relay was first. `plannedAt` never goes back, whatever the times
        of the events: a write that waited for MongoDB has an earlier time than others that are in the feed already.
        """
        outboxes = [
            [
                WaitingEvent(**event, of=Origin(collection=record["collection"], record=record["_id"]))
                for event in record["outbox"]
            ]
            for record in waiting
        ]
        events = in_feed_order(outboxes)[:BATCH]
        plan = [
            PlannedEvent(**event, projectId=feed["_id"], sequence=sequence)
            for sequence, event in enumerate(events, feed["sequence"] + 1)
        ]
        if not plan:
            return None
        unchanged = {"_id": feed["_id"], "sequence": feed["sequence"], "plan": []}
        last = {"sequence": plan[-1]["sequence"], "plannedAt": {"$max": ["$plannedAt", "$$NOW"]}}
        return self._feeds.find_one_and_update(
            unchanged,
            [{"$set": {**last, "plan": {"$literal": plan}}}],
            return_document=ReturnDocument.AFTER,
        )

    def _apply_batch(self, project_id: str, plan: Sequence[PlannedEvent], planned_at: datetime) -> None:
        """Applies a plan, also one that another relay has applied in part.

        The order matters: an event leaves its outbox only when it is in the feed and queued for its webhooks, and a
        deleted record is removed only when its outbox is empty. What is not counted here is counted by a later call.
        """
        self._add_to_feed(plan)
        self._store.deliveries.queue(project_id, plan, planned_at)
        self._store.insights.count_batch(project_id, plan[-1]["sequence"])
        for name in OUTBOXES:
            self._empty(name, [row for row in plan if row["of"]["collection"] == name])
        done = {"_id": ObjectId(project_id), "sequence": plan[-1]["sequence"]}
        self._feeds.update_one(done, {"$set": {"plan": []}})

    def _add_to_feed(self, plan: Sequence[PlannedEvent]) -> None:
        rows: list[Bson] = [{key: value for key, value in row.items() if key != "of"} for row in plan]
        write_once(self._database.events, [InsertOne(row) for row in rows], ["_id"])

    def _empty(self, name: str, rows: Sequence[PlannedEvent]) -> None:
        if not rows:
            return
        records = self._database[name]
        these: Bson = {"projectId": rows[0]["projectId"], "_id": {"$in": list({row["of"]["record"] for row in rows})}}
        events = {"outbox": {"_id": {"$in": [row["_id"] for row in rows]}}}
        records.update_many(these, {"$pull": events}, hint="_id_")
        if name in TOMBSTONES:
            records.delete_many({**these, "deletedAt": {"$ne": None}, "outbox": []}, hint="_id_")
