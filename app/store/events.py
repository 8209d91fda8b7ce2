"""The feed of events, and each document's own: read in order, and cut when it grows old (decisions, section 9)."""

from __future__ import annotations

from datetime import datetime
from itertools import takewhile

from bson import ObjectId

from app.errors import CursorExpired, WriteConflict
from app.store.collection import DESCENDING, Collection, Record, from_bson

SWEPT_AT_ONCE = 1_000


class Events(Collection):
    """The events of a project, numbered 1, 2, 3, … by `outboxes`."""

    name = "events"

    def page(self, project_id: str, after: int | None, limit: int) -> tuple[list[Record], int]:
        """Returns events in order from behind a place in the feed (None: the oldest kept), and the place reached.

        Refuses with `CursorExpired` when events behind the place were cut off.
        """
        feed = self._feed(project_id)
        start = feed["cut"] if after is None else after
        if start < feed["cut"]:
            raise CursorExpired
        rows = self._find(project_id, {"sequence": {"$gt": start}}, sort=(("sequence", 1),), limit=limit)
        page = [row for place, row in enumerate(rows, start + 1) if row["sequence"] == place]
        if rows and not page:
            raise WriteConflict  # the feed was cut between the two reads
        return page, start + len(page)

    def last(self, project_id: str) -> int:
        """Returns the number that was given last, 0 where none was."""
        return int(self._feed(project_id)["sequence"])

    def _feed(self, project_id: str) -> Record:
        found = self._store.database.feeds.find_one({"_id": ObjectId(project_id)}, {"plan": 0})
        return found or {"sequence": 0, "cut": 0}

    def of_document(self, project_id: str, document_id: str, *, limit: int, offset: int) -> list[Record]:
        """Returns one page of all that happened to a document, newest first: what waits in its outbox, too.

        The outbox is read first, so an event that is relayed meanwhile is seen at least there, and shown once.
        """
        condition = self._where(project_id, {"_id": ObjectId(document_id)})
        record = self._store.database.documents.find_one(condition, {"outbox": 1}, session=self._session)
        waiting = record["outbox"][::-1] if record else []
        fresh = [from_bson(event) for event in waiting[offset : offset + limit]]
        if len(fresh) == limit:
            return fresh
        relayed = {
            "data.documentId": ObjectId(document_id),
            "_id": {"$nin": [event["_id"] for event in waiting]},
        }
        return fresh + self._find(
            project_id,
            relayed,
            sort=(("sequence", DESCENDING),),
            skip=max(0, offset - len(waiting)),
            limit=limit - len(fresh),
        )

    def forget(self, project_id: str, document_id: str) -> None:
        """Deletes what the feed keeps no more of a document that is gone; the rest goes when it is cut."""
        upto = self._feed(project_id)["cut"]
        condition = {"data.documentId": ObjectId(document_id), "sequence": {"$lte": upto}}
        self._collection.delete_many(self._where(project_id, condition), session=self._session)

    def cut(self, before: datetime) -> int:
        """Cuts events from before an instant off every feed; returns how many.

        Those of documents stay for their activity, as long as the document is there; all others are deleted.
        """
        return sum(self._cut(feed, before) for feed in self._store.database.feeds.find({}, {"plan": 0}))

    def _cut(self, feed: Record, before: datetime) -> int:
        """Moves a feed's cut, then deletes what lies before it: a reader is told `CursorExpired`, and sees no gap."""
        cut = feed["cut"]
        while old := self._old(feed["_id"], cut, before):
            cut = old[-1]["sequence"]
            self._store.database.feeds.update_one({"_id": feed["_id"]}, {"$max": {"cut": cut}})
        swept = feed["swept"]
        while swept < cut:
            upto = min(cut, swept + SWEPT_AT_ONCE)
            self._sweep(feed["_id"], swept, upto)
            self._store.database.feeds.update_one({"_id": feed["_id"]}, {"$max": {"swept": upto}})
            swept = upto
        return int(cut - feed["cut"])

    def _old(self, project_id: ObjectId, cut: int, before: datetime) -> list[Record]:
        condition = {"projectId": project_id, "sequence": {"$gt": cut}}
        rows = self._collection.find(condition, {"sequence": 1, "at": 1}).sort("sequence", 1).limit(SWEPT_AT_ONCE)
        return list(takewhile(lambda row: row["at"] < before, rows))

    def _sweep(self, project_id: ObjectId, after: int, upto: int) -> None:
        between = {"projectId": project_id, "sequence": {"$gt": after, "$lte": upto}}
        documents = {row["data"].get("documentId") for row in self._collection.find(between, {"data.documentId": 1})}
        wanted = {"projectId": project_id, "_id": {"$in": [one for one in documents if one]}}
        kept = [row["_id"] for row in self._store.database.documents.find(wanted, {"_id": 1})]
        self._collection.delete_many({**between, "data.documentId": {"$nin": kept}})
