"""The feed of events: what waits in the records' outboxes is relayed here, numbered without a gap."""

from bson import ObjectId
from pymongo import ReturnDocument

from app.store.collection import Collection, Record

BATCH = 500


class Events(Collection):
    """The events of a project, numbered 1, 2, 3, …"""

    name = "events"

    def relay(self, collection: str, project_id: str) -> int:
        """Moves up to a batch of events from the outboxes of one collection to the feed; returns how many.

        One transaction: the project's count of events is the first write, so two relays at once conflict and one
        waits for the other; the feed's order is then the order in which their numbers were given.
        """
        return self._store.in_transaction(lambda store: store.events._relay(collection, project_id))

    def _relay(self, collection: str, project_id: str) -> int:
        records = self._store.database[collection]
        waiting = list(
            records.find(
                self._where(project_id, {"outbox.0": {"$exists": True}}), {"outbox": 1}, session=self._session
            ).limit(BATCH)
        )
        events: list[Record] = sorted(
            (event for record in waiting for event in record["outbox"]), key=lambda event: (event["at"], event["_id"])
        )
        if not events:
            return 0
        feed = self._store.database.feeds.find_one_and_update(
            {"_id": ObjectId(project_id)},
            {"$inc": {"sequence": len(events)}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
            session=self._session,
        )
        first = feed["sequence"] - len(events) + 1
        rows = [
            {**event, "projectId": ObjectId(project_id), "sequence": first + place}
            for place, event in enumerate(events)
        ]
        self._collection.insert_many(rows, session=self._session)
        for record in waiting:
            ids = [event["_id"] for event in record["outbox"]]
            records.update_one(
                {"_id": record["_id"]}, {"$pull": {"outbox": {"_id": {"$in": ids}}}}, session=self._session
            )
        return len(events)
