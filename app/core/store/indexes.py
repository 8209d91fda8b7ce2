"""Indexes: `db init` creates them, `db check` reports what differs. Each folder declares its own (`Storage`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import bson
from bson import ObjectId
from pymongo import IndexModel
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, OperationFailure

from app.core.store.types import Bson

NOT_DELETED: Bson = {"deletedAt": None}
FIRST_DATE = datetime(1, 1, 1, tzinfo=UTC)
"""Before every date that is stored: what compares as later has a date."""
FIRST_ID = ObjectId("0" * 24)
"""Before every id: with it, a condition on all projects can skip along an index from project to project."""
WAITING = {"outbox.at": {"$exists": True}}

REFUSED = (85, 86, 11000)
"""MongoDB's codes for an index that is there already with another name or other options, and one that records break."""
UNAUTHORIZED = 13
"""MongoDB's code for what a user may not do."""


@dataclass(frozen=True)
class Index:
    """One index: its collection, its keys in order, what it is for, and MongoDB's options."""

    collection: str
    keys: tuple[tuple[str, int], ...]
    why: str
    options: Bson = field(default_factory=dict)
    title: str = ""

    @property
    def name(self) -> str:
        """The index's name: its title, else its keys and whether it holds only documents outside the trash."""
        if self.title:
            return self.title
        keys = "_".join(f"{key}{'' if order == 1 else '-'}" for key, order in self.keys)
        return keys + ("_live" if self.options.get("partialFilterExpression") == NOT_DELETED else "")

    @property
    def full_name(self) -> str:
        """The index's name with its collection, like `documents.listed`."""
        return f"{self.collection}.{self.name}"

    @property
    def is_unique(self) -> bool:
        """True if slugs, caps or idempotency keys rest on it."""
        return bool(self.options.get("unique"))


def index(collection: str, keys: str, why: str, only: Bson | None = None, *, title: str = "", **options: Any) -> Index:
    """Returns an index; `-` before a key is for the descending order, `only` the records that a partial one holds."""
    order = tuple((key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in keys.split())
    partial = {} if only is None else {"partialFilterExpression": only}
    return Index(collection, order, why, {**options, **partial}, title)


def own_record(project_id: str) -> Bson:
    """Returns the condition for the record that a project has one of, under its own id: feed, counters, revision."""
    return {"_id": ObjectId(project_id), "projectId": ObjectId(project_id)}


def key_index(collection: str) -> Index:
    """Returns an index that serves the shard key of a collection of which no other one does."""
    return index(collection, "projectId _id", "the shard key")


def outbox_index(collection: str) -> Index:
    """Returns the index of a collection whose records have an outbox."""
    return index(collection, "projectId outbox.at", "records whose events wait", WAITING)


@dataclass(frozen=True)
class Storage:
    """The indexes, validators, outboxes and events that a folder has in MongoDB.

    Every unique index begins with the collection's shard key, which is the project, or the project and the record's
    id. A query of a list of documents names the index it uses: left to choose, MongoDB tries every index of the
    collection, most of them with a sort in memory of up to 100 MB.
    """

    indexes: tuple[Index, ...] = ()
    validators: Mapping[str, Bson] = field(default_factory=dict)
    """The validators by collection, as MongoDB takes them (`store/validators.py`)."""
    outboxes: tuple[str, ...] = ()
    """The collections whose records have an outbox."""
    tombstones: tuple[str, ...] = ()
    """Those of them whose deleted records stay, with `deletedAt`, until their last event has been moved."""
    events: tuple[str, ...] = ()
    """The types of its events, like `member.created`."""
    shard_keys: Mapping[str, str] = field(default_factory=dict)
    """The fields of the shard key of each of its collections, like `projectId _id` (`store/sharding.py`).

    `projectId` alone where a unique index has other fields after it. One of the indexes begins with the key, and is
    neither partial nor on an array.
    """
    messages: tuple[str, ...] = ()
    """The types of messages to webhooks that are no events in the feed."""


def types(record: str, happenings: str) -> tuple[str, ...]:
    """Returns the types of the events of a record: `types("member", "created deleted")`."""
    return tuple(f"{record}.{one}" for one in happenings.split())


def create_indexes(database: Database[Bson], indexes: Sequence[Index]) -> list[str]:
    """Creates those of the indexes that are missing; all that a collection lacks are built in one pass over it.

    Safe while the service runs, and in several processes at once. Returns a line for each index that can't be built;
    one that differs is left alone, for `differences` to report.
    """
    lines = []
    for collection in dict.fromkeys(index.collection for index in indexes):
        if missing := _missing(database, collection, indexes):
            lines += _build(database, missing)
    return lines


def _build(database: Database[Bson], indexes: Sequence[Index]) -> list[str]:
    """Builds indexes of one collection, each alone where they can't all be built; returns a line for each that can't.

    One that is there with another name or other options stays: replacing it is for an administrator.
    """
    models = [IndexModel(list(index.keys), name=index.name, **index.options) for index in indexes]
    try:
        database[indexes[0].collection].create_indexes(models)
    except OperationFailure as error:
        if error.code not in REFUSED:
            raise
        if len(indexes) > 1:
            return [line for index in indexes for line in _build(database, [index])]
        if isinstance(error, DuplicateKeyError):
            reason = str((error.details or {}).get("errmsg")).partition("dup key: ")[2]
            index = indexes[0]
            return [f"{index.collection}: the index {index.name} can't be built, as several records have {reason}."]
    return []


def missing(database: Database[Bson], indexes: Sequence[Index]) -> list[Index]:
    """Returns the indexes that are missing."""
    collections = dict.fromkeys(index.collection for index in indexes)
    return [index for collection in collections for index in _missing(database, collection, indexes)]


def _missing(database: Database[Bson], collection: str, indexes: Iterable[Index]) -> list[Index]:
    present = database[collection].index_information()
    return [index for index in indexes if index.collection == collection and index.name not in present]


FOREIGN = "is not one of the service's: drop it, unless somebody needs it."
"""How the line of an index ends that somebody else made: it costs writes, and does no other harm."""


def differences(database: Database[Bson], indexes: Sequence[Index]) -> list[str]:
    """Returns a line for each index that is missing, differs, or is not the service's."""
    lines = []
    for collection in sorted({index.collection for index in indexes}):
        wanted = {index.name: index for index in indexes if index.collection == collection}
        present = {name: row for name, row in database[collection].index_information().items() if name != "_id_"}
        lines += [
            f"{collection}: the index {name} is missing: {wanted[name].why}." for name in wanted.keys() - present.keys()
        ]
        lines += [f"{collection}: the index {name} {FOREIGN}" for name in present.keys() - wanted.keys()]
        lines += [
            f"{collection}: the index {name} has other keys or options: drop it, then run `content-workflow db init`."
            for name in wanted.keys() & present.keys()
            if not _same(wanted[name], present[name])
        ]
    return sorted(lines)


COMPARED = ("unique", "partialFilterExpression", "expireAfterSeconds")
"""The options that are compared, besides the collation, of which MongoDB returns more than it was sent."""


def _same(index: Index, present: Bson) -> bool:
    wanted = bson.decode(bson.encode(index.options))  # times without a zone, as MongoDB returns them
    collation, stored = wanted.get("collation", {}), present.get("collation", {})
    return (
        [(key, int(order)) for key, order in present["key"]] == list(index.keys)
        and all((wanted.get(key) or None) == (present.get(key) or None) for key in COMPARED)
        and collation.items() <= stored.items()
        and bool(collation) == bool(stored)
    )
