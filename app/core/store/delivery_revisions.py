"""The delivery revision of each project: a number that grows after each change of what the project delivers.

It is incremented when the transaction of the change has committed, outside of any transaction, before the caller gets
its response: so publications don't conflict on it, and who reads a number sees every change that it counts.

Who reads what changed needs an order, too: `sequence` is the last number in it (`publications/store.py`).

If a process dies in between, the outbox relay increments it: the events of the change name it (`delivery`), and
`counted` has the changes that were counted last.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple, NotRequired, TypedDict, cast

from bson import ObjectId, Timestamp
from pymongo import ReturnDocument
from pymongo.collection import Collection as MongoCollection
from pymongo.errors import PyMongoError

from app.core.store.caches import SingleFlight
from app.core.store.indexes import Storage, key_index, own_record

if TYPE_CHECKING:
    from app.core.store.store import Store

STORAGE = Storage(
    indexes=(key_index("deliveryRevisions"),),
    shard_keys={"deliveryRevisions": "projectId _id"},
)

REMEMBERED = 250
"""How many changes are remembered as counted; one that is forgotten before it is relayed is counted twice."""

BY_REFERENCE = ("categories", "members")
"""The collections whose records are delivered as they are now: a change of one is no change of documents."""

_counts: SingleFlight[None] = SingleFlight()
_committed: dict[Hashable, list[tuple[str, Collection[str]]]] = {}
"""The changes that wait to be counted. One that another call takes along is counted by its own call all the same."""


class StoredDeliveryRevision(TypedDict):
    """The delivery revision of a project, under the project's id."""

    _id: ObjectId
    projectId: ObjectId
    number: int
    counted: list[str]
    """The ids of the changes that were counted last."""
    changes: NotRequired[dict[str, int]]
    """How many changes there were of each collection that is delivered by reference."""
    sequence: NotRequired[int]
    """The last number in the order of what was published, changed and taken off."""


class Revision(NamedTuple):
    """Revision of the content that a project delivers, as of a moment."""

    number: int
    at: Timestamp | None
    """A cluster time at which the primary had this revision; None if only the primary is read."""
    changes: Mapping[str, int] = {}
    """Numbers that grow with each change of a collection that is delivered by reference, by its name."""
    sequence: int = 0
    """The last number in the order of changes."""


class DeliveryRevisions:
    """The delivery revisions of all projects."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._collection = cast(MongoCollection[StoredDeliveryRevision], store.database["deliveryRevisions"])

    def read(self, project_id: str) -> Revision:
        """Returns a number that changes whenever what the project delivers does: one small read of the primary."""
        with self._store.causal_session() as session:
            row = self._collection.find_one(own_record(project_id), {"counted": 0}, session=session)
            at = session.operation_time if session else None
            if row is None:
                return Revision(0, at)
            return Revision(row["number"], at, row.get("changes", {}), row.get("sequence", 0))

    def next_in_sequence(self, project_id: str) -> int:
        """Returns a number for changes that have been committed, which is after those of all that were read before."""
        row = self._collection.find_one_and_update(
            own_record(project_id),
            {"$inc": {"sequence": 1}, "$setOnInsert": {"number": 0, "counted": []}},
            {"sequence": 1},
            upsert=True,
            return_document=ReturnDocument.AFTER,
            session=self._store.session,
        )
        assert row
        return row["sequence"]

    def count_committed(self, project_id: str, change: str, collections: Collection[str]) -> None:
        """Increments the revision for a change, once for all that this process commits while it waits for its turn.

        `collections` are those delivered by reference that the change wrote to.
        """
        key = self._store.cache_scope, project_id
        _committed.setdefault(key, []).append((change, collections))

        def count_all() -> None:
            committed = _committed.pop(key, [])
            together = {name for _, names in committed for name in names}
            self.count(project_id, [one for one, _ in committed], together)

        try:
            _counts.read(key, count_all)
        except PyMongoError:  # maybe at the deadline of another request, which counted for this one, too
            self.count(project_id, [change], collections)

    def count(self, project_id: str, changes: Collection[str], collections: Collection[str] = BY_REFERENCE) -> None:
        """Increments the revision for changes that have been committed."""
        counted = {"$each": [*changes], "$slice": -REMEMBERED}
        grows = {"number": 1, **{f"changes.{name}": 1 for name in collections}}
        update = {"$inc": grows, "$push": {"counted": counted}}
        self._collection.update_one(own_record(project_id), update, upsert=True)

    def count_missing(self, project_id: str, changes: Collection[str]) -> None:
        """Increments the revision if one of the changes, all of them committed, may not have been counted yet."""
        row = self._collection.find_one(own_record(project_id), {"counted": 1})
        if missing := set(changes).difference(row["counted"] if row else ()):
            self.count(project_id, missing)
