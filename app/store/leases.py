"""Whose turn it is: what several workers share is leased by atomic updates, to one of them at a time.

Each webhook has a lease: it says when the webhook is due, who serves it until when, and how it has been doing. A
worker that dies loses its lease when the time is up. Work that needs no order takes a turn: once in so many seconds,
whichever worker comes first.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bson import ObjectId
from pymongo.errors import DuplicateKeyError

from app.store.collection import Collection, Record, from_bson

FREE = datetime(1970, 1, 1, tzinfo=UTC)


class Leases(Collection):
    """The leases of webhooks, and the turns of the worker's other work."""

    name = "leases"

    def turn(self, work: str, now: datetime, every: timedelta) -> bool:
        """Tells whether it is this worker's turn at some work, once in a while among all workers."""
        try:
            self._collection.update_one(
                {"_id": work, "turnAt": {"$lte": now}}, {"$set": {"turnAt": now + every}}, upsert=True
            )
        except DuplicateKeyError:
            return False
        return True

    def wake(self, project_id: str, webhook_id: str, at: datetime) -> None:
        """Makes a webhook due at an instant, if it is not earlier."""
        self._collection.update_one(
            {"_id": ObjectId(webhook_id)},
            [
                {
                    "$set": {
                        "projectId": ObjectId(project_id),
                        "dueAt": {"$min": ["$dueAt", at]},
                        "wakes": {"$add": [{"$ifNull": ["$wakes", 0]}, 1]},
                        "slow": {"$ifNull": ["$slow", False]},
                        "leasedUntil": {"$ifNull": ["$leasedUntil", FREE]},
                    }
                }
            ],
            upsert=True,
            session=self._session,
        )

    def take(self, now: datetime, until: datetime, *, slow: bool) -> Record | None:
        """Leases the webhook that has been due longest, among the slow ones or among the others; None when none is."""
        taken: Record | None = from_bson(
            self._collection.find_one_and_update(
                {"slow": slow, "dueAt": {"$lte": now}, "leasedUntil": {"$lte": now}},
                {"$set": {"leasedUntil": until, "leaseId": ObjectId()}},
                sort=[("dueAt", 1)],
                return_document=True,
            )
        )
        return taken

    def give_back(self, lease: Record, due: datetime | None, *, slow: bool) -> None:
        """Ends a lease; the webhook is due at an instant (None: not), or at once if it was woken meanwhile."""
        held = {"_id": ObjectId(lease["id"]), "leaseId": ObjectId(lease["leaseId"])}
        free = {"leasedUntil": FREE, "slow": slow}
        quiet = self._collection.update_one({**held, "wakes": lease["wakes"]}, {"$set": {**free, "dueAt": due}})
        if not quiet.matched_count:
            self._collection.update_one(held, {"$set": free})

    def drop(self, webhook_id: str) -> None:
        """Forgets a webhook that is gone."""
        self._collection.delete_one({"_id": ObjectId(webhook_id)}, session=self._session)

    def succeeded(self, webhook_id: str) -> None:
        """Notes that a webhook works."""
        self._collection.update_one(
            {"_id": ObjectId(webhook_id)}, {"$unset": {"failingSince": 1, "failures": 1}}, session=self._session
        )

    def failed(self, webhook_id: str, since: datetime) -> Record:
        """Notes that a webhook failed; returns since when, and how many times in a row."""
        health: Record | None = self._collection.find_one_and_update(
            {"_id": ObjectId(webhook_id)},
            {"$min": {"failingSince": since}, "$inc": {"failures": 1}},
            projection={"_id": 0, "failingSince": 1, "failures": 1},
            return_document=True,
        )
        return health or {"failingSince": since, "failures": 1}  # it was deleted meanwhile
