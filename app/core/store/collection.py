"""Base classes of all collections: the project in every filter, the conversion of ids, and events.

A record that can change is written by `OutboxCollection.change`: one atomic update, on the condition that the record's
`rev` is still the one that was read, writes the difference, counts `rev` up and appends the events to the record's own
outbox, so that no event is lost or made for a change that did not happen. `store/outbox.py` relays them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from bson import ObjectId
from bson.errors import InvalidId
from pymongo import InsertOne, ReturnDocument, UpdateOne
from pymongo.collection import Collection as MongoCollection
from pymongo.errors import BulkWriteError, OperationFailure

from app.core.errors import WriteConflict
from app.core.events import Event
from app.core.store.indexes import NOT_DELETED, Index
from app.core.store.types import Bson, Condition, Order, Projection, Values

if TYPE_CHECKING:
    from app.core.store.store import Store

Read = TypeVar("Read")
Stored = TypeVar("Stored", bound=Mapping[str, Any])
"""Type of the records that a collection returns, a TypedDict; a projection may leave fields out."""

MAX_OUTBOX = 200
"""Maximum number of events that wait in one record; when it is reached, the writer relays them before it writes."""

DESCENDING = -1

DEEP_OFFSET = 200
"""From this offset on, a page is found by the keys of its index before its records are read."""

_CONVERTED = frozenset((ObjectId, list, dict))

BAD_VALUE = 2
"""MongoDB's code for, among others, a hint that names no index."""


class OutboxFull(WriteConflict):
    """A record's outbox must be relayed before the record can be written; `Operation` does that and tries again."""


def new_id() -> str:
    """Returns a fresh id as 24 hex digits."""
    return str(ObjectId())


def object_id(hex_digits: str | None) -> ObjectId | None:
    """Returns the ObjectId that a string names, None where it names none."""
    try:
        return None if hex_digits is None else ObjectId(hex_digits)
    except InvalidId:
        return None


def object_ids(many: Iterable[str]) -> list[ObjectId]:
    """Returns the ObjectIds among strings; other strings are left out."""
    return [found for found in map(object_id, many) if found is not None]


def from_bson(value: Any) -> Any:
    """Returns what MongoDB gave with hex digits for ObjectIds and `id` for `_id`.

    It runs over every value of every list, so it calls itself only for what it converts.
    """
    kind = type(value)
    if kind is ObjectId:
        return str(value)
    if kind is list:
        return [from_bson(item) for item in value]
    if kind is not dict:
        return value
    record = {key: from_bson(item) if type(item) in _CONVERTED else item for key, item in value.items()}
    return {"id": record.pop("_id"), **record} if "_id" in record else record


def to_bson(record: Values) -> Bson:
    """Returns a record as MongoDB stores it: `_id` for `id`, ObjectIds under top-level keys that end in `Id`.

    Ids inside `published`, `by` and `claimedBy` stay strings.
    """
    return {
        ("_id" if key == "id" else key): object_id(value) if key == "id" or key.endswith("Id") else value
        for key, value in record.items()
    }


def write_once(
    collection: MongoCollection[Bson], writes: Sequence[InsertOne[Bson] | UpdateOne], key: Sequence[str]
) -> None:
    """Makes inserts and upserts, ignoring those whose unique key exists already."""
    try:
        if writes:
            collection.bulk_write(writes, ordered=False)
    except BulkWriteError as error:
        there = {tuple(one.get("keyPattern", ())) for one in error.details["writeErrors"]}
        if error.details["writeConcernErrors"] or there != {tuple(key)}:
            raise


class Collection(Generic[Stored]):
    """One collection; subclasses name it and add the queries that the operations need."""

    name: str
    from_bson: Callable[[Any], Stored] = staticmethod(from_bson)
    """Makes a record of what MongoDB returns; None of None."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._collection = store.collection(self.name)
        self._session = store.session

    def _where(self, project_id: str, condition: Condition) -> Bson:
        """Returns the condition for records of a project.

        In a condition with `$or`, the project is added to each alternative: MongoDB then uses an index for each, and
        merges the results in order; with the project outside of `$or` it would read all and sort in memory.
        """
        where = {"projectId": ObjectId(project_id), **condition}
        alternatives = where.pop("$or", None)
        return where if alternatives is None else {"$or": [where | one for one in alternatives]}

    def _hinted(self, index: Index | None, condition: Condition, run: Callable[[str | None], Read]) -> Read:
        """Returns what a command returns, given the index to use: None where MongoDB chooses.

        Lists and `$in` name theirs: the plan that MongoDB has cached for one id makes it try all 15 indexes again for
        400 of them, which takes 5 ms instead of 1. What finds one record is as fast without.
        It chooses when the database lacks the index, as before `db init`, and in transactions: that error would abort
        one. A condition on ids uses theirs, which every collection has.
        """
        hint = _id_index(condition) if index is None else index.name if self._session is None else None
        try:
            return run(hint)
        except OperationFailure as error:
            if index is None or hint is None or error.code != BAD_VALUE:
                raise
            return run(None)

    def _find_one(self, project_id: str, condition: Condition, fields: Projection = None) -> Stored | None:
        where = self._where(project_id, condition)
        return self.from_bson(self._collection.find_one(where, fields, session=self._session))

    def _exists(self, project_id: str, condition: Condition) -> bool:
        return self._find_one(project_id, condition, {"_id": 1}) is not None

    def _find(
        self,
        project_id: str,
        condition: Condition,
        *,
        sort: Order = (),
        skip: int = 0,
        limit: int = 0,
        fields: Projection = None,
        index: Index | None = None,
    ) -> list[Stored]:
        in_one_round_trip = {"skip": skip, "limit": limit, "batch_size": limit}
        options = {**in_one_round_trip, "sort": [*sort] or None, "session": self._session}
        find = partial(self._collection.find, self._where(project_id, condition), fields, **options)
        return self._hinted(index, condition, lambda hint: [self.from_bson(record) for record in find(hint=hint)])

    def _by_id(
        self, project_id: str, ids: Iterable[str], fields: Projection = None, **condition: Any
    ) -> dict[str, Stored]:
        """Returns those of some records that exist and meet a condition, by id; reads nothing where no id is given."""
        wanted = object_ids(set(ids))
        rows = self._find(project_id, {"_id": {"$in": wanted}, **condition}, fields=fields) if wanted else []
        return {row["id"]: row for row in rows}

    def _page_in_order(
        self,
        project_id: str,
        condition: Bson,
        index: Index | None,
        sort: Order,
        limit: int,
        offset: int,
        fields: Projection,
    ) -> list[Stored]:
        """Returns one page of records in the order of an index whose keys have every field of the condition.

        Far from the beginning the page is found by keys alone: MongoDB reads each record that it skips otherwise.
        Raises `WriteConflict` when one of them does not meet the condition any more as it is read: the page would be
        short, and a short page is the last one.
        """
        page = partial(self._find, project_id, condition, sort=sort, skip=offset, limit=limit, index=index)
        if offset < DEEP_OFFSET:
            return page(fields=fields)
        ids = [row["id"] for row in page(fields={"_id": 1})]
        rows = self._find(project_id, {**condition, "_id": {"$in": object_ids(ids)}}, fields=fields) if ids else []
        if len(rows) < len(ids):
            raise WriteConflict
        return sorted(rows, key=lambda row: ids.index(row["id"]))

    def _count(self, project_id: str, condition: Condition, index: Index | None = None, *, limit: int = 0) -> int:
        """Returns how many records meet a condition, `limit` at most."""
        options: Bson = {"session": self._session} | ({"limit": limit} if limit else {})
        count = partial(self._collection.count_documents, self._where(project_id, condition), **options)
        return self._hinted(index, condition, lambda hint: count(hint=hint) if hint else count())

    def _aggregate(self, project_id: str, condition: Condition, stages: Sequence[Bson]) -> list[Bson]:
        pipeline = [{"$match": self._where(project_id, condition)}, *stages]
        return list(self._collection.aggregate(pipeline, session=self._session))

    def _insert(self, project_id: str, record: Values) -> Stored:
        """Adds a record, under a new id where it has none."""
        row = to_bson({"id": new_id(), **record, "projectId": project_id})
        self._collection.insert_one(row, session=self._session)
        self._store.writes += 1
        return self.from_bson(row)

    def _insert_many(self, project_id: str, records: Iterable[Values]) -> list[Bson]:
        """Adds records in one call, and returns them as they are stored."""
        rows = [to_bson({"id": new_id(), **record, "projectId": project_id}) for record in records]
        if len(rows) == 1:  # a confirm adds three records so; `insert_many` of one takes a tenth more of the processor
            self._collection.insert_one(rows[0], session=self._session)
        elif rows:
            self._collection.insert_many(rows, session=self._session)
        self._store.writes += len(rows)
        return rows

    def _update_one(
        self, project_id: str, condition: Condition, change: Bson, fields: Projection = None
    ) -> Stored | None:
        """Changes a record by one atomic write and returns it as it is then; None when none meets the condition."""
        where = self._where(project_id, condition)
        changed = self._collection.find_one_and_update(
            where, change, projection=fields, return_document=ReturnDocument.AFTER, session=self._session
        )
        self._store.writes += changed is not None
        return self.from_bson(changed)

    def delete_of(self, project_id: str, document_id: str) -> None:
        """Deletes the records that belong to a document that is deleted for good."""
        where = self._where(project_id, {"documentId": ObjectId(document_id)})
        self._collection.delete_many(where, session=self._session)

    def _delete_one(self, project_id: str, condition: Condition) -> Stored | None:
        where = self._where(project_id, condition)
        found = self._collection.find_one_and_delete(where, session=self._session)
        self._store.writes += found is not None
        return self.from_bson(found)


class OutboxCollection(Collection[Stored]):
    """A collection of records that change, each with its `rev` and its outbox of events.

    A deleted record stays, outside of every list and partial index: for good, or until its last event is relayed.
    """

    event_data: tuple[tuple[str, str], ...]
    """Fields of the record after the change that an event has besides its own data: (name in the event, field)."""

    hidden: Mapping[str, int] = {"outbox": 0}
    """The projection that leaves out what no caller of the store needs."""

    counters: tuple[str, ...] = ("rev",)
    """The fields that count writes; a change names them all as they were read, and increments one."""

    defaults: Bson = NOT_DELETED
    """The fields of a new record that nobody sends."""

    def keys(self, record: Values, before: Values | None = None) -> Bson:
        """Returns what is stored besides a record's own fields: the keys that lists sort by and names are found by.

        Those that cannot differ from the keys of the record `before` may be left out.
        """
        return {}

    def get(self, project_id: str, record_id: str) -> Stored | None:
        """Returns a record that was not deleted, or None."""
        return self._find_one(project_id, {"_id": object_id(record_id), **NOT_DELETED}, self.hidden)

    def add(self, project_id: str, record: Values, event: Event) -> Stored:
        """Adds a record with the event of its creation."""
        return self._insert(project_id, self._new_record(record, [event]))

    def add_many(self, project_id: str, records: Iterable[tuple[Values, Sequence[Event]]]) -> None:
        """Adds records, each with the events of its creation, in one call; inside a transaction."""
        self._insert_many(project_id, [self._new_record(record, events) for record, events in records])

    def change(self, project_id: str, before: Stored, after: Values, events: Sequence[Event]) -> Stored:
        """Writes what differs between a record as it was read and as it is to be, with its events; returns it.

        One atomic write. A claim, shortened:

            find_one_and_update(
                {"projectId": …, "_id": …, "rev": 7},
                {"$set": {"status": "drafting", "brief": {"state": "claimed", …}, "listed": […], "updatedAt": …},
                 "$inc": {"rev": 1},
                 "$push": {"outbox": {"$each": [{"type": "brief.claimed", …}]}}})

        Raises `WriteConflict` when the record changed since it was read, and `OutboxFull`.
        """
        return self._change(project_id, before, after, events, "rev")

    def _change(self, project_id: str, before: Stored, after: Values, events: Sequence[Event], counter: str) -> Stored:
        unchanged, update = self._update_of(project_id, before, after, events, counter)
        written = self._collection.find_one_and_update(unchanged, update, projection={"rev": 1}, session=self._session)
        if written is None:
            same = {name: unchanged[name] for name in ("_id", *self.counters)}
            raise OutboxFull if self._exists(project_id, same) else WriteConflict
        self._store.writes += 1
        return cast(Stored, {**after, counter: before.get(counter, 0) + 1})

    def update(self, project_id: str, before: Stored, changes: Values, event: Event) -> Stored:
        """Changes fields of a record as it was read. Raises as `change` does."""
        time = {"updatedAt": event.at} if "updatedAt" in before else {}
        return self.change(project_id, before, {**before, **changes, **time}, [event])

    def delete(self, project_id: str, before: Stored, event: Event) -> Stored:
        """Marks a record as deleted. Raises as `change` does."""
        return self.change(project_id, before, {**before, "deletedAt": event.at}, [event])

    def _update_of(
        self, project_id: str, before: Stored, after: Values, events: Sequence[Event], counter: str = "rev"
    ) -> tuple[Bson, Bson]:
        """Returns the filter and the update of a change."""
        rows = [self._event_row(event, after) for event in events]
        record_id = ObjectId(after["id"])
        unchanged = {name: before.get(name) for name in self.counters}
        where = self._where(project_id, {"_id": record_id, **unchanged, **self._has_room(len(rows))})
        written = difference(before, after) | self.keys(after, before)
        update = {"$inc": {counter: 1}, "$push": {"outbox": {"$each": rows}}}
        return where, update | ({"$set": written} if written else {})

    def _new_record(self, record: Values, events: Iterable[Event]) -> Bson:
        """Returns a new record, with its first `rev`, and with the events of its creation in its outbox."""
        row = {"id": new_id(), **self.defaults, **record, **self.keys(record), "rev": 1}
        return row | {"outbox": [self._event_row(event, row) for event in events]}

    def _event_row(self, event: Event, record: Values) -> Bson:
        """Returns an event as it waits in an outbox."""
        data = to_bson({name: record.get(field) for name, field in self.event_data}) | dict(event.data)
        row = {"_id": ObjectId(), "type": event.type, "at": event.at, "by": dict(event.by), "data": data}
        change = self._store.delivery_change
        return row | ({"note": event.note} if event.note else {}) | ({"delivery": change[1]} if change else {})

    def _has_room(self, events: int) -> Bson:
        """Returns the condition that an outbox takes further events; none for writes that are rolled back."""
        return {} if self._store.is_rolled_back else {f"outbox.{MAX_OUTBOX - events}": {"$exists": False}}


def difference(before: Values, after: Values) -> Bson:
    """Returns the fields to set so that one record becomes the other, which has all fields of the first."""
    return to_bson({name: value for name, value in after.items() if name not in before or before[name] != value})


def _id_index(condition: Condition) -> str | None:
    """Returns the index for a condition on several ids."""
    wanted = condition.get("_id")
    return "_id_" if isinstance(wanted, dict) and "$in" in wanted else None
