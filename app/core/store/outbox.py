"""The outbox relay: numbers the events in the records' outboxes without a gap, and passes them on in order, once.

The consumers of the application get them (`Features.consumers`): the feed, webhooks and others.

A project's feed has one record with the last sequence number and the *plan* of the batch that is being moved: which
events get which numbers. Writing the plan is one atomic update, on the condition that no other relay has numbered
events since the outboxes were read. Applying it is a series of idempotent writes. So any number of relays may run at
once, and when one is killed, the next one applies its plan.

It uses no transaction: when a process dies inside one, MongoDB keeps its locks for a minute and more, and during that
time the documents whose events were being moved could not be written.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

from bson import ObjectId
from pymongo import ReturnDocument
from pymongo.collection import Collection as MongoCollection
from pymongo.errors import DuplicateKeyError
from pymongo.read_concern import ReadConcern

from app.core.actors import Actor
from app.core.events import StoredEvent, in_feed_order
from app.core.store.collection import from_bson
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.indexes import FIRST_DATE, FIRST_ID, WAITING, Storage, key_index
from app.core.store.types import Bson

if TYPE_CHECKING:
    from app.core.store.store import Store

STORAGE = Storage(indexes=(key_index("feeds"),), shard_keys={"feeds": "projectId _id"})

BATCH = 250
"""Maximum number of events of one plan, which has to fit into a record."""

NOT_IN_FEED = ("collection", "record")
"""The fields of a planned event that only the relay reads."""

ANYWHERE: Bson = {"projectId": {"$gte": FIRST_ID}, "outbox.at": {"$gte": FIRST_DATE}}
"""Records of any project with events in their outbox; it lets MongoDB skip along the index from project to project."""


class OutboxEvent(TypedDict):
    """An event in the outbox of a record."""

    _id: ObjectId
    type: str
    at: datetime
    by: Actor
    data: dict[str, Any]
    """As in `StoredEvent`, with ObjectIds."""
    delivery: NotRequired[str]
    """The id of the change of what is delivered that it is part of (`delivery_revisions.py`)."""


class PlannedEvent(OutboxEvent):
    """An event with its place in the feed, and the record in whose outbox it waits."""

    projectId: ObjectId
    sequence: int
    collection: str
    record: ObjectId


class StoredFeed(TypedDict):
    """How far the events of a project are numbered, under the project's id."""

    _id: ObjectId
    projectId: ObjectId
    sequence: int
    """The number of its last event, 0 for none."""
    plan: list[PlannedEvent]
    """The batch of events that is being moved to the feed; empty when that is done."""
    plannedAt: datetime
    """When the last plan was written, which never goes back."""


def new_feed(project_id: str) -> StoredFeed:
    """Returns the feed of a project that has no events."""
    project = ObjectId(project_id)
    return StoredFeed(_id=project, projectId=project, sequence=0, plan=[], plannedAt=FIRST_DATE)


class Outboxes:
    """The outboxes of all records."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = store.database
        self._feeds = cast(MongoCollection[StoredFeed], store.database.feeds)

    def projects_waiting(self) -> list[str]:
        """Returns the projects that have events in outboxes, reading one index key for each project."""
        found = self._database.feeds.aggregate(self._union([{"$match": ANYWHERE}, {"$group": {"_id": "$projectId"}}]))
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
        if changes := {event["delivery"] for row in waiting for event in row["outbox"] if "delivery" in event}:
            self._store[DeliveryRevisions].count_missing(project_id, changes)
        planned = feed if feed["plan"] else self._plan(feed, waiting)
        if planned is None:
            return 0
        self._apply_batch(project_id, planned)
        return len(planned["plan"])

    def _read(self, project_id: str) -> tuple[StoredFeed, list[Bson]]:
        """Returns a project's feed and the records with events for it, as they were at one instant.

        Read apart, the outboxes could be of a primary that was just elected, which learns late what the majority has:
        they would still have events that the feed has numbered.
        """
        stages: list[Bson] = [
            {"$match": {"projectId": ObjectId(project_id), **WAITING}},
            {"$sort": {"outbox.at": 1}},
            {"$limit": BATCH},
            {"$project": {"outbox": 1}},
        ]
        feeds = self._database.get_collection("feeds", read_concern=ReadConcern("snapshot"))
        rows = list(feeds.aggregate(self._union(stages, ObjectId(project_id))))
        feed = next((row for row in rows if "outbox" not in row), None)
        return cast(StoredFeed | None, feed) or new_feed(project_id), [row for row in rows if "outbox" in row]

    def _plan(self, feed: StoredFeed, waiting: Sequence[Bson]) -> StoredFeed | None:
        """Writes the plan: which events get the next numbers. Returns the feed with it; None where there is none.

        There is none without events, and when another relay was first. `plannedAt` never goes back, whatever the times
        of the events: a write that waited for MongoDB has an earlier time than others that are in the feed already.
        """
        outboxes = [
            [{**event, "collection": record["collection"], "record": record["_id"]} for event in record["outbox"]]
            for record in waiting
        ]
        plan = [
            {**event, "projectId": feed["_id"], "sequence": sequence}
            for sequence, event in enumerate(in_feed_order(outboxes)[:BATCH], feed["sequence"] + 1)
        ]
        if not plan:
            return None
        unchanged = {"_id": feed["_id"], "projectId": feed["_id"], "sequence": feed["sequence"], "plan": []}
        last = {"sequence": plan[-1]["sequence"], "plannedAt": {"$max": ["$plannedAt", "$$NOW"]}}
        change = [{"$set": {**last, "plan": {"$literal": plan}}}]
        try:
            return self._feeds.find_one_and_update(unchanged, change, upsert=True, return_document=ReturnDocument.AFTER)
        except DuplicateKeyError:  # another relay was first
            return None

    def _apply_batch(self, project_id: str, feed: StoredFeed) -> None:
        """Applies a plan, also one that another relay has applied in part.

        The order matters: an event leaves its outbox only when every consumer has it, and a deleted record is removed
        only when its outbox is empty.
        """
        plan = feed["plan"]
        rows = [{name: value for name, value in row.items() if name not in NOT_IN_FEED} for row in plan]
        events: list[StoredEvent] = [from_bson(row) for row in rows]
        for consume in self._store.features.consumers:
            consume(self._store, project_id, events, feed["plannedAt"])
        for name in self._store.features.outboxes:
            self._empty(name, [row for row in plan if row["collection"] == name])
        done = {"_id": feed["_id"], "projectId": feed["_id"], "sequence": plan[-1]["sequence"]}
        self._feeds.update_one(done, {"$set": {"plan": []}})

    def _empty(self, name: str, rows: Sequence[PlannedEvent]) -> None:
        if not rows:
            return
        records = self._database[name]
        these: Bson = {"projectId": rows[0]["projectId"], "_id": {"$in": list({row["record"] for row in rows})}}
        events = {"outbox": {"_id": {"$in": [row["_id"] for row in rows]}}}
        records.update_many(these, {"$pull": events}, hint="_id_")
        if name in self._store.features.tombstones:
            records.delete_many({**these, "deletedAt": {"$ne": None}, "outbox": []}, hint="_id_")

    def _union(self, stages: Sequence[Bson], feed: ObjectId | None = None) -> list[Bson]:
        """Returns a pipeline on the feeds that yields a feed, and rows of stages on each collection of outboxes."""
        names = self._store.features.outboxes
        unions = ({"coll": name, "pipeline": [*stages, {"$set": {"collection": name}}]} for name in names)
        return [{"$match": {"_id": feed, "projectId": feed}}, *({"$unionWith": union} for union in unions)]
