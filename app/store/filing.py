"""What documents are filed under, categories and clusters, have in common.

A deleted record stays, outside of every list and partial index, until its last event is relayed.
"""

from __future__ import annotations

from datetime import datetime

from bson import ObjectId

from app.rules.events import Event
from app.store.collection import Bson, EntityTags, Recorded, Stored, etag_filter, object_id


class Filing(Recorded[Stored]):
    """Records that documents name, so that none can be deleted while something takes it."""

    def get(self, project_id: str, record_id: str) -> Stored | None:
        """Returns a record that was not deleted, or None."""
        return self._find_one(project_id, {"_id": ObjectId(record_id), "deletedAt": None}, self.hidden)

    def refer_to(self, project_id: str, record_id: str) -> Bson | None:
        """Returns `id` and `name` of a record that the transaction refers to, None where there is none.

        Writes to it, so that deleting or renaming it at the same time conflicts with this transaction.
        """
        where = self._where(project_id, {"_id": object_id(record_id), "deletedAt": None})
        found = self._collection.find_one_and_update(where, {"$inc": {"uses": 1}}, session=self._session)
        return None if found is None else {"id": str(found["_id"]), "name": found["name"]}

    def delete(self, project_id: str, record_id: str, now: datetime, event: Event, tags: EntityTags) -> Stored | None:
        """Deletes a record."""
        condition: Bson = {"_id": ObjectId(record_id), "deletedAt": None, **etag_filter(tags)}
        return self._change(project_id, condition, event=event, changes={"deletedAt": now})
