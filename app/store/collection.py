"""What all collections share: the project in every filter, the conversion of ids, and events.

A record that can change is written by `_change`: one atomic update whose filter states the condition and whose
pipeline writes the changes, counts the record's `rev` up and appends the event to the record's own outbox, so
that no event is lost or made for a change that did not happen. `store/outboxes.py` relays it to the feed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bson import ObjectId
from bson.errors import InvalidId
from pymongo import InsertOne, ReturnDocument, UpdateOne
from pymongo.collection import Collection as MongoCollection
from pymongo.errors import BulkWriteError, OperationFailure

from app.errors import WriteConflict
from app.rules.etags import EntityTag
from app.rules.events import Event
from app.store.indexes import NOT_DELETED, Index
from app.store.types import Bson, Condition, Projection, Values

if TYPE_CHECKING:
    from app.store.store import Store

Read = TypeVar("Read")
Stored = TypeVar("Stored", bound=Mapping[str, Any])
"""What a collection returns, a TypedDict; a projection may leave fields out."""

MAX_OUTBOX = 200
"""The most events that wait in one record; when it is reached, the writer relays them before it writes."""

DESCENDING = -1

DEEP_OFFSET = 200
"""From this offset on, a page is found by the keys of its index before its records are read."""

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

    It runs over every value of every list, so it calls itself only for what holds others.
    """
    if type(value) is list:
        return [from_bson(item) for item in value]
    if type(value) is not dict:
        return str(value) if type(value) is ObjectId else value
    record = {}
    for key, item in value.items():
        kind = type(item)
        if kind is ObjectId:
            item = str(item)
        elif kind is dict or kind is list:
            item = from_bson(item)
        record["id" if key == "_id" else key] = item
    return record


def to_bson(record: Values) -> Bson:
    """Returns a record as MongoDB stores it: `_id` for `id`, ObjectIds under top-level keys that end in `Id`.

    Ids inside `snapshot`, `by` and `claimedBy` stay strings.
    """
    return {
        ("_id" if key == "id" else key): object_id(value)
        if key == "id" or (key.endswith("Id") and "." not in key)
        else value
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


EntityTags = tuple[EntityTag, ...] | None


def etag_filter(tags: EntityTags) -> Bson:
    """Returns the condition that a record is in one of the states that entity tags name; none for no tags.

    For documents it is `document_etag_filter`: their tags name a version, too.
    """
    return {} if tags is None else {"rev": {"$in": [tag.rev for tag in tags if tag.version is None]}}


class Collection(Generic[Stored]):
    """One collection; subclasses name it and add the queries that the operations need."""

    name: str
    from_bson: Callable[[Any], Stored] = staticmethod(from_bson)
    """Makes a record of what MongoDB returns; None of None."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._collection = store.database[self.name]
        self._session = store.session

    def _where(self, project_id: str, condition: Condition) -> Bson:
        """Returns the condition for records of a project.

        In a condition with `$or`, the project is added to each alternative: MongoDB then uses an index for each, and
        merges the results in order; with the project outside of `$or` it would read all and sort in memory.
        """
        if "$or" not in condition or "_id" in condition:
            return {"projectId": ObjectId(project_id), **condition}
        common = {"projectId": ObjectId(project_id), **{k: v for k, v in condition.items() if k != "$or"}}
        return {"$or": [common | alternative for alternative in condition["$or"]]}

    def _hinted(self, index: Index | None, condition: Condition, run: Callable[[str | None], Read]) -> Read:
        """Returns what a command returns, given the index to use: None where MongoDB chooses.

        It chooses when the database lacks the index, as before `db init`, and in transactions: that error would abort
        one. A condition on ids uses theirs, which every collection has: MongoDB would try the others first.
        """
        hint = _id_index(condition) if index is None else index.name if self._session is None else None
        try:
            return run(hint)
        except OperationFailure as error:
            if index is None or hint is None or error.code != BAD_VALUE:
                raise
            return run(None)

    def _find_one(
        self, project_id: str, condition: Condition, fields: Projection = None, *, index: Index | None = None
    ) -> Stored | None:
        where = self._where(project_id, condition)
        find_one = partial(self._collection.find_one, where, fields, session=self._session)
        return self.from_bson(self._hinted(index, condition, lambda hint: find_one(hint=hint)))

    def _exists(self, project_id: str, condition: Condition, *, index: Index | None = None) -> bool:
        return self._find_one(project_id, condition, {"_id": 1}, index=index) is not None

    def _find(
        self,
        project_id: str,
        condition: Condition,
        *,
        sort: Sequence[tuple[str, int]] = (),
        skip: int = 0,
        limit: int = 0,
        fields: Projection = None,
        index: Index | None = None,
        collation: Condition | None = None,
    ) -> list[Stored]:
        where = self._where(project_id, condition)

        def find(hint: str | None) -> list[Stored]:
            found = self._collection.find(where, fields, session=self._session, hint=hint, collation=collation)
            cursor = found.skip(skip).limit(limit).batch_size(limit)  # in one round trip
            return [self.from_bson(record) for record in (cursor.sort(list(sort)) if sort else cursor)]

        return self._hinted(index, condition, find)

    def _page_in_order(
        self,
        project_id: str,
        condition: Condition,
        index: Index,
        *,
        sort: Sequence[tuple[str, int]],
        offset: int,
        limit: int,
        fields: Projection,
    ) -> list[Stored]:
        """Returns one page of records in the order of an index whose keys have every field of the condition.

        Far from the beginning the page is found by keys alone, so that no record is read that is skipped.
        """
        if offset < DEEP_OFFSET:
            return self._find(project_id, condition, sort=sort, skip=offset, limit=limit, fields=fields, index=index)
        keys = self._find(project_id, condition, sort=sort, skip=offset, limit=limit, fields={"_id": 1}, index=index)
        return self._with_ids(project_id, condition, [row["id"] for row in keys], fields)

    def _with_ids(self, project_id: str, condition: Condition, ids: Sequence[str], fields: Projection) -> list[Stored]:
        """Returns the records that were found to meet a condition, in the order of their ids.

        Raises `WriteConflict` when one of them does not meet it any more: the page would be short, and a short page
        is the last one.
        """
        if not ids:
            return []
        rows = self._find(project_id, {"_id": {"$in": object_ids(ids)}, **condition}, fields=fields)
        by_id = {row["id"]: row for row in rows}
        if len(by_id) < len(ids):
            raise WriteConflict
        return [by_id[one] for one in ids]

    def _count(self, project_id: str, condition: Condition, index: Index | None = None) -> int:
        count = partial(self._collection.count_documents, self._where(project_id, condition), session=self._session)
        return self._hinted(index, condition, lambda hint: count(hint=hint) if hint else count())

    def _aggregate(
        self, project_id: str, condition: Condition, stages: Sequence[Bson], index: Index | None = None
    ) -> list[Bson]:
        pipeline = [{"$match": self._where(project_id, condition)}, *stages]
        aggregate = partial(self._collection.aggregate, pipeline, session=self._session)
        return self._hinted(index, condition, lambda hint: list(aggregate(hint=hint) if hint else aggregate()))

    def _insert(self, project_id: str, record: Values) -> Stored:
        """Adds a record, under a new id where it has none."""
        row = to_bson({"id": new_id(), **record, "projectId": project_id})
        self._collection.insert_one(row, session=self._session)
        self._store.writes += 1
        return self.from_bson(row)

    def _insert_many(self, project_id: str, records: Iterable[Values]) -> list[Stored]:
        """Adds records in one call, for imports."""
        rows = [to_bson({"id": new_id(), **record, "projectId": project_id}) for record in records]
        if rows:
            self._collection.insert_many(rows, session=self._session)
            self._store.writes += 1
        return [self.from_bson(row) for row in rows]

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

    def _delete_one(self, project_id: str, condition: Condition) -> Stored | None:
        where = self._where(project_id, condition)
        found = self._collection.find_one_and_delete(where, session=self._session)
        self._store.writes += found is not None
        return self.from_bson(found)


EventData = tuple[tuple[str, str, str | None], ...]
"""What an event says of its record: (name in the event, path in the record, default)."""


class OutboxCollection(Collection[Stored]):
    """A collection of records that change, each with its `rev` and its outbox of events.

    A deleted record stays, outside of every list and partial index: for good, or until its last event is relayed.
    """

    event_data: EventData
    """What an event says of the record after the change."""

    hidden: Mapping[str, int] = {"outbox": 0}
    """The projection that leaves out what no caller of the store needs."""

    defaults: Bson = NOT_DELETED
    """The fields of a new record that nobody sends."""

    has_update_time = True
    """Whether records have `updatedAt`."""

    def keys(self, fields: Values) -> Bson:
        """Returns what is stored beside fields that are written: the keys that lists sort by and names are found by."""
        return {}

    def get(self, project_id: str, record_id: str) -> Stored | None:
        """Returns a record that was not deleted, or None."""
        return self._find_one(project_id, {"_id": object_id(record_id), **NOT_DELETED}, self.hidden)

    def add(self, project_id: str, record: Values, event: Event) -> Stored:
        """Adds a record with the event of its creation."""
        return self._insert(project_id, self._new_record(record, event))

    def update(self, project_id: str, record_id: str, changes: Values, event: Event, tags: EntityTags) -> Stored | None:
        """Changes a record that was not deleted; None where nothing would change, or `tags` name other states."""
        differs = [{name: {"$ne": value}} for name, value in changes.items()]
        time = {"updatedAt": event.at} if self.has_update_time else {}
        condition = self._id_filter(record_id, tags) | {"$or": differs}
        return self._change(project_id, condition, event=event, changes={**changes, **self.keys(changes), **time})

    def delete(self, project_id: str, record_id: str, event: Event, tags: EntityTags) -> Stored | None:
        """Marks a record as deleted."""
        return self._change(project_id, self._id_filter(record_id, tags), event=event, changes={"deletedAt": event.at})

    def _id_filter(self, record_id: str, tags: EntityTags = None) -> Bson:
        return {"_id": ObjectId(record_id), **NOT_DELETED, **etag_filter(tags)}

    def _new_record(self, record: Values, *events: Event) -> Bson:
        """Returns a new record, with its first `rev`, and with the events of its creation in its outbox."""
        row = {"id": new_id(), **self.defaults, **record, **self.keys(record), "rev": 1}
        stored = to_bson(row)
        data = {name: _at_path(stored, path, default) for name, path, default in self.event_data}
        return row | {"outbox": [event_row(event, data) for event in events]}

    def _change(
        self,
        project_id: str,
        condition: Condition,
        *,
        event: Event,
        changes: Values,
        computed: Values | None = None,
        sort: Sequence[tuple[str, int]] | None = None,
        index: Index | None = None,
    ) -> Stored | None:
        """Changes the first record that meets the condition, in one atomic write; None when none does.

        `changes` are values, `computed` are MongoDB expressions, `index` is the one to use where the condition
        names no `_id`. Raises `OutboxFull`, or `WriteConflict` where a record meets the condition after all, which
        one more read finds out. The pipeline of a claim, shortened; `DocumentRecords` adds its first stage:

            [{"$set": {"brief": …, "outbox": …}},                              # where a lease expired: ready, an event
             {"$set": {"brief.state": {"$literal": "claimed"}, …, "rev": {"$add": ["$rev", 1]}}},
             {"$set": {"outbox": {"$concatArrays": ["$outbox", [{…"brief.claimed"…}]]}}}]
        """
        pipeline = self._write_stages(event, changes, computed or {})
        where = self._where(project_id, {**condition, **self._has_room()})
        write = partial(
            self._collection.find_one_and_update,
            where,
            pipeline,
            projection=self.hidden,
            sort=list(sort) if sort else None,
            return_document=ReturnDocument.AFTER,
            session=self._session,
        )
        changed = self._hinted(index, condition, lambda hint: write(hint=hint))
        self._store.writes += changed is not None
        if changed is None:
            self._raise_if_it_matches(project_id, condition, index)
        return self.from_bson(changed)

    def _write_stages(self, event: Event, changes: Values, computed: Values) -> list[Bson]:
        """Returns the stages of a pipeline that write one change with its event."""
        written = {key: {"$literal": value} for key, value in to_bson(changes).items()} | dict(computed)
        data = event_data_expressions(self.event_data)
        return [
            {"$set": {**written, "rev": {"$add": ["$rev", 1]}}},
            {"$set": {"outbox": {"$concatArrays": ["$outbox", [event_expression(event, data)]]}}},
        ]

    def _has_room(self) -> Bson:
        """Returns the condition that an outbox takes another event; none for writes that are rolled back."""
        return {} if self._store.is_rolled_back else {f"outbox.{MAX_OUTBOX - 1}": {"$exists": False}}  # the last item

    def _raise_if_it_matches(self, project_id: str, condition: Condition, index: Index | None) -> None:
        """Raises where a record meets the condition of a write that changed none, so that the operation runs again.

        Its outbox was full (`OutboxFull`: it is relayed first), or it did not meet the condition yet (`WriteConflict`).
        """
        found = self._find_one(project_id, condition, {"outbox._id": 1}, index=index)
        if found is not None:
            raise OutboxFull if len(found["outbox"]) >= MAX_OUTBOX else WriteConflict


def _id_index(condition: Condition) -> str | None:
    """Returns the index for a condition on ids: beside other conditions MongoDB would try every index first."""
    wanted = condition.get("_id")
    named = isinstance(wanted, ObjectId) or (isinstance(wanted, dict) and "$in" in wanted)
    return "_id_" if named else None


def event_row(event: Event, data: Values) -> Bson:
    """Returns an event as it waits in an outbox, with what the record says of itself as `data`."""
    return {"_id": ObjectId(), "type": event.type, "at": event.at, "by": dict(event.by), "data": {**data, **event.data}}


def event_data_expressions(event_data: EventData) -> Bson:
    """Returns what an event says of its record as expressions on that record."""
    return {name: {"$ifNull": [f"${path}", default]} for name, path, default in event_data}


def event_expression(event: Event, data: Values) -> Bson:
    """Returns the expression that makes an event in a pipeline, where `data` are expressions on the record."""
    row = event_row(event, {})
    own_data = row.pop("data")
    return {"$mergeObjects": [{"$literal": row}, {"data": {"$mergeObjects": [dict(data), {"$literal": own_data}]}}]}


def _at_path(record: Values, path: str, default: str | None) -> object:
    value: object = record
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return default if value is None else value
