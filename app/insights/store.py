"""The figures of projects: counted by day from the events of the feed, each event once (decisions, section 14).

The relay counts each batch while it applies the batch's plan. Every row has the number of the last event that it
counts, and is written only where that number is smaller, so that a batch is counted once, however often it is applied.
The figures are written before the progress of the documents: where the progress of one has the batch, all figures do.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import cast

from bson import ObjectId
from pymongo import UpdateOne

from app.core.events import StoredEvent
from app.core.store.collection import Collection, object_id, object_ids, write_once
from app.core.store.indexes import FIRST_DATE
from app.core.store.store import Store
from app.insights.rules import Figures, Progress, StoredFigures, count


def count_events(store: Store, project_id: str, events: Sequence[StoredEvent], _now: datetime) -> None:
    """Counts events that were relayed."""
    store[InsightFigures].count_batch(project_id, events)


def delete_progress(store: Store, project_id: str, document_id: str) -> None:
    """Deletes the progress of a document that is purged."""
    one = {"projectId": ObjectId(project_id), "_id": ObjectId(document_id)}
    store.database.progress.delete_one(one, session=store.session)


class InsightFigures(Collection[StoredFigures]):
    """Figures by day: a row for the project, and a row for each token that claimed."""

    name = "figures"

    def count_batch(self, project_id: str, events: Sequence[StoredEvent]) -> None:
        """Counts the events of a batch, also of one that was counted in part."""
        documents = {event["data"]["documentId"] for event in events if event["data"].get("documentId")}
        first, last = events[0]["sequence"], events[-1]["sequence"]
        these = self._where(project_id, {"_id": {"$in": object_ids(documents)}})
        rows = list(self._store.database.progress.find(these))
        progress = {str(row["_id"]): cast(Progress, row) for row in rows}
        figures = count(events, progress)
        if all(row["sequence"] < first for row in rows):
            write_once(self._collection, _figure_updates(project_id, figures, last), ["_id"])
        changes = [
            UpdateOne(
                self._where(project_id, {"_id": ObjectId(document_id), "sequence": {"$lt": last}}),
                {"$set": {**progress[document_id], "sequence": last}},
                upsert=True,
            )
            for document_id in documents
        ]
        write_once(self._store.database.progress, changes, ["_id"])

    def of_days(self, project_id: str, first: date, last: date) -> list[StoredFigures]:
        """Returns the rows of some days, of the project (`tokenId` null) and of its tokens."""
        return self._find(project_id, {"day": {"$gte": _midnight(first), "$lte": _midnight(last)}})

    def oldest_waiting(self, project_id: str) -> datetime | None:
        """Returns when the brief was last offered that has waited longest; None where none waits."""
        condition = {"projectId": ObjectId(project_id), "waitingSince": {"$gt": FIRST_DATE}}
        row = self._store.database.progress.find_one(condition, {"waitingSince": 1}, sort=[("waitingSince", 1)])
        return row["waitingSince"] if row else None


def _figure_updates(project_id: str, figures: Figures, last: int) -> list[UpdateOne]:
    updates = []
    for (day, token_id), counted in figures.counts.items():
        actor = figures.actors.get(token_id)
        row = {
            "day": _midnight(day),
            "tokenId": object_id(token_id),
            "sequence": last,
            **({"name": actor["name"], "agent": actor["agent"]} if actor else {}),
        }
        row_id = f"{project_id} {day} {token_id or ''}"
        one = {"_id": row_id, "projectId": ObjectId(project_id), "sequence": {"$lt": last}}
        added = {"$inc": dict(counted)} if counted else {}
        updates.append(UpdateOne(one, {"$set": row, **added}, upsert=True))
    return updates


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
