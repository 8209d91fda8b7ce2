"""The feed of events, and the events of one document: read in order, trimmed at the old end (decisions, section 9).

Two classes write the record of a project's feed, each its own fields: `Outboxes` numbers events, `Events` trims them,
and notes how far the worker has read them.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any, NotRequired, TypedDict, cast

from bson import ObjectId
from pymongo.collection import Collection as MongoCollection
from pymongo.database import Database

from app.core.actors import Actor
from app.core.errors import WriteConflict
from app.core.events import StoredEvent
from app.core.store.collection import DESCENDING, Collection, from_bson
from app.core.store.indexes import FIRST_DATE
from app.core.store.types import Bson
from app.events.errors import CursorExpired

TRIM_BATCH = 1_000


class OutboxEvent(TypedDict):
    """An event in the outbox of a record."""

    _id: ObjectId
    type: str
    at: datetime
    by: Actor
    data: dict[str, Any]
    """As in `StoredEvent`, with ObjectIds."""


class PlannedEvent(OutboxEvent):
    """An event with its place in the feed, and the record in whose outbox it waits."""

    projectId: ObjectId
    sequence: int
    collection: str
    record: ObjectId


class StoredFeed(TypedDict):
    """The feed of a project, under the project's id."""

    _id: ObjectId
    sequence: int
    """The number of its last event, 0 for none."""
    plan: list[PlannedEvent]
    """The batch of events that is being moved to the feed; empty when that is done."""
    plannedAt: datetime
    """When the last plan was written, which never goes back."""
    trimmed: NotRequired[int]
    """The number of the last event that was trimmed: the feed begins after it."""
    deleted: NotRequired[int]
    """Up to which number what was trimmed is deleted."""
    attributed: NotRequired[int]
    """Up to which number the worker has computed who wrote the texts."""


def feeds_of(database: Database[Bson]) -> MongoCollection[StoredFeed]:
    """Returns the collection of feeds."""
    return cast(MongoCollection[StoredFeed], database.feeds)


def new_feed(project_id: str) -> StoredFeed:
    """Returns the feed of a project that has no events."""
    return StoredFeed(_id=ObjectId(project_id), sequence=0, plan=[], plannedAt=FIRST_DATE, trimmed=0, deleted=0)


class Events(Collection[StoredEvent]):
    """The events of a project, numbered 1, 2, 3, … by the outbox relay."""

    name = "events"

    def page(self, project_id: str, after: int | None, limit: int) -> tuple[list[StoredEvent], int]:
        """Returns events in order after a sequence number (None: from the oldest one), and the last number returned.

        Raises `CursorExpired` when events after that number were trimmed.
        """
        feed = self._feed(project_id)
        start = feed["trimmed"] if after is None else after
        if start < feed["trimmed"]:
            raise CursorExpired
        rows = self._find(project_id, {"sequence": {"$gt": start}}, sort=(("sequence", 1),), limit=limit)
        # Up to the first gap: a batch is inserted in any order, so a later event may be seen before an earlier one.
        page = [row for place, row in enumerate(rows, start + 1) if row["sequence"] == place]
        if rows and not page:
            raise WriteConflict  # the feed was trimmed between the two reads
        return page, start + len(page)

    def last(self, project_id: str) -> int:
        """Returns the last sequence number of a project, 0 where it has no events."""
        return self._feed(project_id)["sequence"]

    def _feed(self, project_id: str) -> StoredFeed:
        """Returns a project's feed without its plan."""
        feed = new_feed(project_id)
        feed.update(feeds_of(self._store.database).find_one({"_id": ObjectId(project_id)}, {"plan": 0}) or feed)
        return feed

    def of_document(
        self, project_id: str, document_id: str, *, limit: int, offset: int = 0, types: Sequence[str] = ()
    ) -> list[StoredEvent]:
        """Returns one page of the events of a document, all or of some types, newest first, those in its outbox too.

        The outbox is read before the feed, so an event that is moved meanwhile is found in one of them, and shown once.
        """
        condition = self._where(project_id, {"_id": ObjectId(document_id)})
        record = self._store.database.documents.find_one(condition, {"outbox": 1}, session=self._session)
        outbox: list[OutboxEvent] = record["outbox"][::-1] if record else []
        waiting = [event for event in outbox if not types or event["type"] in types]
        fresh: list[StoredEvent] = [from_bson(event) for event in waiting[offset : offset + limit]]
        if len(fresh) == limit:
            return fresh
        relayed: Bson = {
            "data.documentId": ObjectId(document_id),
            "_id": {"$nin": [event["_id"] for event in waiting]},
            **({"type": {"$in": [*types]}} if types else {}),
        }
        return fresh + self._find(
            project_id,
            relayed,
            sort=(("sequence", DESCENDING),),
            skip=max(0, offset - len(waiting)),
            limit=limit - len(fresh),
        )

    def delete_trimmed(self, project_id: str, document_id: str) -> None:
        """Deletes the events of a purged document that the feed no longer shows; trimming deletes the others."""
        upto = self._feed(project_id)["trimmed"]
        condition = {"data.documentId": ObjectId(document_id), "sequence": {"$lte": upto}}
        self._collection.delete_many(self._where(project_id, condition), session=self._session)

    def projects(self) -> list[str]:
        """Returns the projects that have a feed."""
        return [str(feed["_id"]) for feed in feeds_of(self._store.database).find({}, {"_id": 1})]

    def unattributed(self) -> dict[str, int]:
        """Returns the projects with events after the last one that `note_attributed` noted, each with its number."""
        behind = {"$expr": {"$gt": ["$sequence", {"$ifNull": ["$attributed", 0]}]}}
        rows = feeds_of(self._store.database).find(behind, {"attributed": 1, "trimmed": 1})
        return {str(row["_id"]): max(row.get("attributed", 0), row.get("trimmed", 0)) for row in rows}

    def note_attributed(self, project_id: str, sequence: int) -> None:
        """Notes that the worker has computed who wrote the texts up to an event."""
        noted = {"$max": {"attributed": sequence}}
        feeds_of(self._store.database).update_one({"_id": ObjectId(project_id)}, noted)

    def trim(self, project_id: str, before: datetime) -> int:
        """Removes a batch of the oldest events from a feed, those from before an instant; returns how many.

        0 means that no such event is left. The events of documents stay for their activity as long as the document
        exists; all others are deleted. The feed first says that it begins later, so that a reader gets `CursorExpired`
        and never a page with a gap. What was not deleted then, because the worker died, is deleted by the next call.
        """
        feeds, feed = feeds_of(self._store.database), self._feed(project_id)
        trimmed, deleted = feed["trimmed"], feed["deleted"]
        if deleted == trimmed:
            old = self._old(project_id, trimmed, before)
            if not old:
                return 0
            trimmed = old[-1]["sequence"]
            feeds.update_one({"_id": ObjectId(project_id)}, {"$max": {"trimmed": trimmed}})
        upto = min(trimmed, deleted + TRIM_BATCH)
        self._delete(project_id, deleted, upto)
        feeds.update_one({"_id": ObjectId(project_id)}, {"$max": {"deleted": upto}})
        return upto - deleted

    def _old(self, project_id: str, trimmed: int, before: datetime) -> list[StoredEvent]:
        fields = {"sequence": 1, "at": 1}
        after = {"sequence": {"$gt": trimmed}}
        rows = self._find(project_id, after, sort=(("sequence", 1),), limit=TRIM_BATCH, fields=fields)
        return list(takewhile(lambda row: row["at"] < before, rows))

    def _delete(self, project_id: str, after: int, upto: int) -> None:
        between = self._where(project_id, {"sequence": {"$gt": after, "$lte": upto}})
        documents = {row["data"].get("documentId") for row in self._collection.find(between, {"data.documentId": 1})}
        ids = {"_id": {"$in": [document_id for document_id in documents if document_id]}}
        existing = self._store.database.documents.find(self._where(project_id, ids), {"_id": 1})
        remaining = [row["_id"] for row in existing]
        self._collection.delete_many({**between, "data.documentId": {"$nin": remaining}})
