"""The delivery revision of each project: a number that grows after each change of what the project delivers.

It is incremented when the transaction of the change has committed, outside of any transaction, before the caller gets
its response: so publications don't conflict on it, and who reads a number sees every change that it counts.

If a process dies in between, the outbox relay increments it: the events of the change name it (`delivery`), and
`counted` has the changes that were counted last.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import TYPE_CHECKING, NamedTuple, TypedDict, cast

from bson import ObjectId, Timestamp
from pymongo.collection import Collection as MongoCollection
from pymongo.errors import PyMongoError

from app.core.store.indexes import Storage, key_index
from app.core.store.own_records import own_record
from app.core.store.single_flight import SingleFlight

if TYPE_CHECKING:
    from app.core.store.store import Store

STORAGE = Storage(
    indexes=(key_index("deliveryRevisions"),),
    shard_keys={"deliveryRevisions": "projectId _id"},
)

REMEMBERED = 250
"""How many changes are remembered as counted; one that is forgotten before it is relayed is counted twice."""


_counts: SingleFlight[None] = SingleFlight()
_committed: dict[Hashable, list[str]] = {}
"""The changes that wait to be counted. One that another call takes along is counted by its own call all the same."""


class StoredDeliveryRevision(TypedDict):
    """The delivery revision of a project, under the project's id."""

    _id: ObjectId
    projectId: ObjectId
    number: int
    counted: list[str]
    """The ids of the changes that were counted last."""


class Revision(NamedTuple):
    """Revision of the content that a project delivers, as of a moment."""

    number: int
    at: Timestamp | None
    """A cluster time at which the primary had this revision; None if only the primary is read."""


class DeliveryRevisions:
    """The delivery revisions of all projects."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._collection = cast(MongoCollection[StoredDeliveryRevision], store.database["deliveryRevisions"])

    def read(self, project_id: str) -> Revision:
        """Returns a number that changes whenever what the project delivers does: one small read of the primary."""
        with self._store.causal_session() as session:
            row = self._collection.find_one(own_record(project_id), {"number": 1}, session=session)
            return Revision(row["number"] if row else 0, session.operation_time if session else None)

    def count_committed(self, project_id: str, change: str) -> None:
        """Increments the revision for a change, once for all that this process commits while it waits for its turn."""
        key = self._store.cache_scope, project_id
        _committed.setdefault(key, []).append(change)
        try:
            _counts.read(key, lambda: self.count(project_id, _committed.pop(key, [])))
        except PyMongoError:  # maybe at the deadline of another request, which counted for this one, too
            self.count(project_id, [change])

    def count(self, project_id: str, changes: Collection[str]) -> None:
        """Increments the revision for changes that have been committed."""
        counted = {"$each": [*changes], "$slice": -REMEMBERED}
        update = {"$inc": {"number": 1}, "$push": {"counted": counted}}
        self._collection.update_one(own_record(project_id), update, upsert=True)

    def count_missing(self, project_id: str, changes: Collection[str]) -> None:
        """Increments the revision if one of the changes, all of them committed, may not have been counted yet."""
        row = self._collection.find_one(own_record(project_id), {"counted": 1})
        if missing := set(changes).difference(row["counted"] if row else ()):
            self.count(project_id, missing)
