"""The feed of events, and the events of one document: read in order, trimmed at the old end (decisions, section 9).

Two classes write the record of a project's feed, each its own fields: `Outboxes` numbers events, `Events` trims them,
and notes how far the worker has read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING, NotRequired, cast

from bson import ObjectId
from pymongo import InsertOne
from pymongo.collection import Collection as MongoCollection

from app.core.errors import CursorExpired, WriteConflict
from app.core.events import StoredEvent
from app.core.store.collection import DESCENDING, Collection, from_bson, to_bson, write_once
from app.core.store.indexes import own_record
from app.core.store.outbox import OutboxEvent, StoredFeed, new_feed
from app.core.store.types import Bson

if TYPE_CHECKING:
    from app.core.store.store import Store

TRIM_BATCH = 1_000


class TrimmedFeed(StoredFeed):
    """The feed of a project, with how far it was trimmed and read."""

    trimmed: NotRequired[int]
    """The number of the last event that was trimmed: the feed begins after it."""
    deleted: NotRequired[int]
    """Up to which number what was trimmed is deleted."""
    attributed: NotRequired[int]
    """Up to which number the worker has computed who wrote the texts."""


def add_to_feed(store: Store, project_id: str, events: Sequence[StoredEvent], _planned_at: datetime) -> None:
    """Adds events that were relayed to the feed of their project, except those that it has already."""
    store[Events].add(project_id, events)


def delete_trimmed(store: Store, project_id: str, document_id: str) -> None:
    """Deletes the events of a purged document that the feed no longer shows."""
    store[Events].delete_trimmed(project_id, document_id)


class Events(Collection[StoredEvent]):
    """The events of a project, numbered 1, 2, 3, … by the outbox relay."""

    name = "events"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._feeds = cast(MongoCollection[TrimmedFeed], store.database.feeds)

    def add(self, project_id: str, events: Iterable[StoredEvent]) -> None:
        """Adds events that the relay numbered, except those that are there already."""
        rows = [to_bson({**event, "projectId": project_id, "data": to_bson(event["data"])}) for event in events]
        for row in rows:
            row.pop("delivery", None)
        write_once(self._collection, [InsertOne(row) for row in rows], ["_id"])

    def page(
        self, project_id: str, after: int | None, limit: int, types: Sequence[str] = ()
    ) -> tuple[list[StoredEvent], int]:
        """Returns events in order after a sequence number (None: from the oldest one), all or of some types.

        Also returns up to which number events were looked at. Raises `CursorExpired` when events after `after` were
        trimmed.
        """
        feed = self._feed(project_id)
        start = feed["trimmed"] if after is None else after
        if start < feed["trimmed"]:
            raise CursorExpired
        if types:
            return self._page_of_types(project_id, start, limit, types, feed)
        rows = self._find(project_id, {"sequence": {"$gt": start}}, sort=(("sequence", 1),), limit=limit)
        # Up to the first gap: a batch is inserted in any order, so a later event may be seen before an earlier one.
        page = [row for place, row in enumerate(rows, start + 1) if row["sequence"] == place]
        if rows and not page:
            raise WriteConflict  # the feed was trimmed between the two reads
        return page, start + len(page)

    def _page_of_types(
        self, project_id: str, start: int, limit: int, types: Sequence[str], feed: TrimmedFeed
    ) -> tuple[list[StoredEvent], int]:
        moved = max(start, feed["sequence"] - len(feed["plan"]))  # what is still planned may be there in part
        condition = {"sequence": {"$gt": start, "$lte": moved}, "type": {"$in": [*types]}}
        page = self._find(project_id, condition, sort=(("sequence", 1),), limit=limit)
        if self._feed(project_id)["trimmed"] > start:
            raise WriteConflict  # the feed was trimmed between the reads
        return page, page[-1]["sequence"] if len(page) == limit else moved

    def last(self, project_id: str) -> int:
        """Returns the last sequence number of a project, 0 where it has no events."""
        return self._feed(project_id)["sequence"]

    def _feed(self, project_id: str) -> TrimmedFeed:
        """Returns a project's feed, of its plan the sequence numbers alone."""
        feed = cast(TrimmedFeed, {**new_feed(project_id), "trimmed": 0, "deleted": 0})
        fields = {"trimmed": 1, "deleted": 1, "sequence": 1, "plan.sequence": 1}
        feed.update(self._feeds.find_one(own_record(project_id), fields) or feed)
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
        return [str(feed["_id"]) for feed in self._feeds.find({}, {"_id": 1})]

    def unattributed(self) -> dict[str, int]:
        """Returns the projects with events after the last one that `note_attributed` noted, each with its number."""
        behind = {"$expr": {"$gt": ["$sequence", {"$ifNull": ["$attributed", 0]}]}}
        rows = self._feeds.find(behind, {"attributed": 1, "trimmed": 1})
        return {str(row["_id"]): max(row.get("attributed", 0), row.get("trimmed", 0)) for row in rows}

    def note_attributed(self, project_id: str, sequence: int) -> None:
        """Notes that the worker has computed who wrote the texts up to an event."""
        noted = {"$max": {"attributed": sequence}}
        self._feeds.update_one(own_record(project_id), noted)

    def trim(self, project_id: str, before: datetime) -> int:
        """Removes a batch of the oldest events from a feed, those from before an instant; returns how many.

        0 means that no such event is left. The events of documents stay for their activity as long as the document
        exists; all others are deleted. The feed first says that it begins later, so that a reader gets `CursorExpired`
        and never a page with a gap. What was not deleted then, because the worker died, is deleted by the next call.
        """
        feed = self._feed(project_id)
        trimmed, deleted = feed["trimmed"], feed["deleted"]
        if deleted == trimmed:
            old = self._old(project_id, trimmed, before)
            if not old:
                return 0
            trimmed = old[-1]["sequence"]
            self._feeds.update_one(own_record(project_id), {"$max": {"trimmed": trimmed}})
        upto = min(trimmed, deleted + TRIM_BATCH)
        self._delete(project_id, deleted, upto)
        self._feeds.update_one(own_record(project_id), {"$max": {"deleted": upto}})
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
