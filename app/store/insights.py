"""The figures of projects: counted by day from the events of the feed, each event once (decisions, section 14).

The feed's record says up to which sequence number events are counted (`counted`), and up to which one they are being
counted (`counting`), which is one atomic update like the plan of the relay. Counting a range is a series of idempotent
writes: every row has the last sequence number that it counts, so the same range changes it once, however
often it is written. The figures are written before the progress of each document; so if a document has the range,
its figures are complete. Events from before this was counted are counted from the feed by a job of the worker.

An earlier version does not count changes of status, and may run beside this one. So the feed's `history` says from
which day and up to which number they are counted without a gap, and a status that is older than the rest of its record
(`statusAt`) is read from the document's events.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import NotRequired, cast

from bson import ObjectId
from pymongo import UpdateOne

from app.rules.events import StoredEvent
from app.rules.insights import NO_PROGRESS, Figures, Progress, StoredFigures, count, status_after
from app.store.collection import DESCENDING, Collection, from_bson, object_id, object_ids, write_once
from app.store.feeds import StatusHistory, feeds_of, new_feed
from app.store.indexes import (
    EVENTS_BY_SEQUENCE,
    EVENTS_OF_DOCUMENT,
    FIGURES_BY_DAY,
    FIRST_DATE,
    WAITING_BRIEFS,
)
from app.store.types import Bson

RANGE = 500
"""The most events that are counted at once."""
RANGES = 4
"""The most ranges that a relay counts before it goes on."""


class StoredProgress(Progress):
    """The progress of a document as it is in MongoDB, under the document's id.

    An earlier version stored no `status`.
    """

    _id: ObjectId
    projectId: ObjectId
    sequence: int
    """The last event that it counts."""
    statusAt: NotRequired[int]
    """The same, where the status counts it too: an earlier version left the status as it was."""


class Insights(Collection[StoredFigures]):
    """Figures by day: a row for the project, and a row for each token that claimed."""

    name = "figures"

    def count_batch(self, project_id: str, upto: int) -> bool:
        """Counts a few ranges of events, up to a sequence number; returns whether there are more."""
        return all(self._count_range(project_id, upto) for _ in range(RANGES))

    def projects_behind(self) -> dict[str, int]:
        """Returns the projects with events in their feeds that are not counted, each with its last sequence number."""
        behind = {"plan": [], "$expr": {"$lt": [{"$ifNull": ["$counted", 0]}, "$sequence"]}}
        feeds = feeds_of(self._store.database).find(behind, {"sequence": 1})
        return {str(feed["_id"]): feed["sequence"] for feed in feeds}

    def _count_range(self, project_id: str, last: int) -> bool:
        """Counts the next range of events; returns whether there are more up to a sequence number."""
        feeds, one = feeds_of(self._store.database), {"_id": ObjectId(project_id)}
        feed = feeds.find_one(one, {"counted": 1, "counting": 1, "history": 1}) or new_feed(project_id)
        after, upto = feed.get("counted", 0), feed.get("counting")
        if upto is None:
            upto = min(after + RANGE, last)
            if upto <= after:
                return False
            unchanged = {**one, "counted": feed.get("counted"), "counting": None}
            since = self._since(project_id, feed.get("history"), after, upto)
            history = StatusHistory(since=since, upto=upto)
            plan = {"counted": after, "counting": upto, "history": history}
            if not feeds.update_one(unchanged, {"$set": plan}).modified_count:
                return True  # another relay was first
        self._apply(project_id, after, upto)
        feeds.update_one({**one, "counting": upto}, {"$set": {"counted": upto, "counting": None}})
        return upto < last

    def _apply(self, project_id: str, after: int, upto: int) -> None:
        """Counts the events of a range, also of one that was counted in part."""
        events = self._events(project_id, after, upto)
        documents = {event["data"]["documentId"] for event in events if event["data"].get("documentId")}
        found = list(self._store.database.progress.find({"_id": {"$in": object_ids(documents)}}))
        rows = cast(list[StoredProgress], found)
        progress = {str(row["_id"]): _progress(row) for row in rows}
        known = {str(row["_id"]) for row in rows if row.get("statusAt") == row["sequence"]}
        known |= {event["data"]["documentId"] for event in events if event["type"] == "document.created"}
        for document_id in documents - known:
            status = self._status(project_id, document_id, after)
            progress[document_id] = {**progress.get(document_id, NO_PROGRESS), "status": status}
        figures = count(events, progress)
        if all(row["sequence"] <= after for row in rows):
            write_once(self._collection, _updates(project_id, figures, upto), ["_id"])
        changes = [
            UpdateOne(
                {"_id": ObjectId(name), "sequence": {"$lt": upto}},
                {"$set": _row(project_id, progress[name], upto)},
                upsert=True,
            )
            for name in documents
        ]
        write_once(self._store.database.progress, changes, ["_id"])

    def _events(self, project_id: str, after: int, upto: int) -> Sequence[StoredEvent]:
        where = {"projectId": ObjectId(project_id), "sequence": {"$gt": after, "$lte": upto}}
        rows = self._store.database.events.find(where, {"type": 1, "at": 1, "by": 1, "data": 1})
        return [from_bson(row) for row in rows.sort("sequence", 1).hint(list(EVENTS_BY_SEQUENCE.keys))]

    def _since(self, project_id: str, history: StatusHistory | None, after: int, upto: int) -> datetime:
        """Returns from when on changes of status are counted without a gap, when the next range is."""
        if history and history["upto"] == after:
            return history["since"]
        condition = {"projectId": ObjectId(project_id), "sequence": {"$lte": upto}}
        last = self._store.database.events.find_one(
            condition, {"at": 1}, sort=[("sequence", DESCENDING)], hint=list(EVENTS_BY_SEQUENCE.keys)
        )
        return last["at"] if last and after else FIRST_DATE

    def _status(self, project_id: str, document_id: str, upto: int) -> str | None:
        """Returns the status that a document's events gave it, up to a sequence number; None in the trash."""
        where = {"projectId": ObjectId(project_id), "data.documentId": ObjectId(document_id)}
        event = self._store.database.events.find_one(
            {**where, "sequence": {"$lte": upto}},
            {"type": 1, "data.status": 1},
            sort=[("sequence", DESCENDING)],
            hint=list(EVENTS_OF_DOCUMENT.keys),
        )
        if event is None:
            return None
        status = event["data"].get("status")
        return status_after(event["type"], status, status)

    def history_since(self, project_id: str) -> date | None:
        """Returns the first day at whose end the number of documents by status is known; None where none is."""
        feeds, fields = feeds_of(self._store.database), {"counted": 1, "history": 1}
        feed = feeds.find_one({"_id": ObjectId(project_id)}, fields) or new_feed(project_id)
        counted, history = feed.get("counted", 0), feed.get("history")
        if not counted:
            return date.min
        return history["since"].date() if history and history["upto"] >= counted else None

    def of_days(self, project_id: str, first: date, last: date) -> list[StoredFigures]:
        """Returns the rows of some days, of the project (`tokenId` null) and of its tokens."""
        days = {"day": {"$gte": _midnight(first), "$lte": _midnight(last)}}
        return self._find(project_id, days, index=FIGURES_BY_DAY)

    def oldest_waiting(self, project_id: str) -> datetime | None:
        """Returns when the brief was last offered that has waited longest; None where none waits."""
        condition = {"projectId": ObjectId(project_id), "waitingSince": {"$gt": FIRST_DATE}}
        row = self._store.database.progress.find_one(
            condition, {"waitingSince": 1}, sort=[("waitingSince", 1)], hint=list(WAITING_BRIEFS.keys)
        )
        return row["waitingSince"] if row else None

    def delete_progress(self, document_id: str) -> None:
        """Deletes the progress of a document that is purged."""
        self._store.database.progress.delete_one({"_id": ObjectId(document_id)}, session=self._session)


def _updates(project_id: str, figures: Figures, upto: int) -> list[UpdateOne]:
    updates = []
    for (day, token_id), counted in figures.counts.items():
        actor = figures.actors.get(token_id)
        row = {
            "projectId": ObjectId(project_id),
            "day": _midnight(day),
            "tokenId": object_id(token_id),
            "sequence": upto,
            **({"name": actor["name"], "agent": actor["agent"]} if actor else {}),
        }
        one = {"_id": f"{project_id} {day} {token_id or ''}", "sequence": {"$lt": upto}}
        added = {"$inc": dict(counted)} if counted else {}
        updates.append(UpdateOne(one, {"$set": row, **added}, upsert=True))
    return updates


def _progress(row: StoredProgress) -> Progress:
    return Progress(
        starts=row["starts"],
        holder=row["holder"],
        held=row["held"],
        offeredAt=row["offeredAt"],
        waitingSince=row["waitingSince"],
        status=row.get("status"),
    )


def _row(project_id: str, progress: Progress, upto: int) -> Bson:
    return {**progress, "projectId": ObjectId(project_id), "sequence": upto, "statusAt": upto}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
