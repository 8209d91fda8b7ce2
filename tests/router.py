"""What a router of a sharded cluster (mongos) would refuse, or send to every shard, of the commands that MongoDB gets.

A `Router` listens to the commands of a client and knows the rules of MongoDB 6.0, each from a page of its manual. The
one of the session listens over the whole suite; it looks at those commands that the application sends, and leaves alone
what a test reads and writes itself.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from pymongo import monitoring

from app.core.store.migration import COMMENT
from app.features import ALL
from tests.listener import Listener

CHECKOUT = Path(__file__).parents[1]
PARTS = ("app", "graphql_app", "mcp_tools")
DRIVER = ("pymongo", "bson", "contextlib", "functools", "threading", "concurrent")

Bson = Mapping[str, Any]

ANYWHERE = {
    ("tokens", "aggregate"): "who calls, by the hash of the secret, before any project is known",
    ("tokens", "find"): "the same, and a token by its id on the command line",
    ("members", "find"): "who signs in with an e-mail address; the worker, each hour, who gets a daily notice",
    ("projects", "find"): "all projects, on the command line, and that MongoDB answers",
    ("documents", "find"): "`purge` of all projects, and ids of an import that are taken",
    ("categories", "find"): "ids of an import that are taken",
    ("clusters", "find"): "ids of an import that are taken",
    ("revisions", "find"): "ids of an import that are taken",
    ("bodies", "find"): "ids of an import that are taken",
    ("threads", "find"): "ids of an import that are taken",
    ("sources", "find"): "ids of an import that are taken",
    ("documents", "aggregate"): "the worker: projects with something due or expired; `purge` counts",
    ("feeds", "find"): "the worker: which feeds are to be trimmed, and who wrote new texts",
    ("feeds", "aggregate"): "the relay: which projects have events in outboxes",
    ("leases", "find"): "the worker: the webhook that has waited longest",
    ("deliveries", "aggregate"): "the worker: how many messages wait, for the metrics",
    ("webhooks", "aggregate"): "the worker: how many webhooks were disabled, for the metrics",
    ("noticeLeases", "find"): "the worker: the mailbox that has waited longest",
    (
        "images",
        "find",
    ): "a picture by the random key in its address; `purge` of all projects",
    ("images", "aggregate"): "the worker: projects with pictures",
    ("searchedTexts", "find"): "the worker, at its start: projects that were never marked",
    ("searchedTexts", "aggregate"): "the worker: projects with texts to be searched",
    **{(name, "$unionWith"): "the relay: which projects have events in outboxes" for name in ALL.outboxes},
}
"""The commands that may reach every shard, by collection, with who sends them; none of them is one of a hot request."""


class Router(Listener):
    """The commands that a router would refuse or scatter, each as a line."""

    def __init__(
        self, keys: Mapping[str, str] | None = None, *, anywhere: Mapping[tuple[str, str], str] = ANYWHERE
    ) -> None:
        self.keys = {name: fields.split() for name, fields in (keys or ALL.shard_keys).items()}
        self.anywhere = anywhere
        self.found: list[str] = []
        self.seen = 0
        self.is_ours: Callable[[], bool] = lambda: True

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        name, command = event.command_name, event.command
        if name not in COMMANDS or not self.is_ours():
            return
        self.seen += 1
        comment = str(command.get("comment", ""))
        if comment.startswith(f"{COMMENT}:"):
            return  # a step from a form that was never sharded
        if comment == COMMENT:
            lines = [line for line in COMMANDS[name](self, command[name], command) if "every shard" not in line]
            self.found += [f"{name} on {command[name]}: {line}" for line in lines]
            return
        collection = command[name]
        if isinstance(collection, str):
            self.found += [f"{name} on {collection}: {line}" for line in COMMANDS[name](self, collection, command)]

    def take(self) -> list[str]:
        """Returns what was found since the last call."""
        found, self.found = self.found, []
        return sorted(set(found))

    # What the commands have in common.

    def _whole_key(self, collection: str, condition: Bson) -> bool:
        return all(_is_equal(condition, field) for field in self.keys.get(collection, ()))

    def _scatters(self, collection: str, condition: Bson, name: str) -> Iterator[str]:
        if collection in self.keys and not _names_project(condition) and (collection, name) not in self.anywhere:
            yield f"reaches every shard: {_shape(condition)}"

    def _changed_key(self, collection: str, change: Any, condition: Bson) -> Iterator[str]:
        """Yields the fields of the key that an update gives another value than the one it was found by."""
        key = self.keys.get(collection, [])
        if isinstance(change, Mapping) and change and not next(iter(change)).startswith("$"):
            yield from (
                f"the new record has another {field}"
                for field in key
                if field != "_id" and (field not in change or change[field] != condition.get(field))
            )
            return
        stages = change if isinstance(change, Sequence) else [change]
        for stage in stages:
            for operator, fields in stage.items():
                for field in _fields_of(operator, fields, key):
                    same = isinstance(fields, Mapping) and fields.get(field) == condition.get(field, NotImplemented)
                    if not (operator in ("$set", "$setOnInsert") and same):
                        yield f"{operator} changes {field}, which is part of the shard key"

    # The commands.

    def _insert(self, collection: str, command: Bson) -> Iterator[str]:
        for row in command.get("documents", ()):
            yield from (f"a record has no {field}" for field in self.keys.get(collection, ()) if field not in row)

    def _find_and_modify(self, collection: str, command: Bson) -> Iterator[str]:
        condition = command.get("query", {})
        if not self._whole_key(collection, condition):
            yield f"needs the whole shard key: {_shape(condition)}"
        if _has_collation(command):
            yield "has a collation"
        if change := command.get("update"):
            yield from self._changed_key(collection, change, condition)

    def _update(self, collection: str, command: Bson) -> Iterator[str]:
        for one in command.get("updates", ()):
            condition = one["q"]
            if one.get("upsert") and not self._whole_key(collection, condition):
                yield f"an upsert needs the whole shard key: {_shape(condition)}"
            yield from self._single(collection, condition, is_single=not one.get("multi"), name="update")
            yield from self._changed_key(collection, one["u"], condition)

    def _delete(self, collection: str, command: Bson) -> Iterator[str]:
        for one in command.get("deletes", ()):
            yield from self._single(collection, one["q"], is_single=one.get("limit") == 1, name="delete")

    def _single(self, collection: str, condition: Bson, *, is_single: bool, name: str) -> Iterator[str]:
        if is_single and not (self._whole_key(collection, condition) or _is_equal(condition, "_id")):
            yield f"a single one needs the whole shard key, or _id: {_shape(condition)}"
        yield from self._scatters(collection, condition, name)

    def _find(self, collection: str, command: Bson) -> Iterator[str]:
        yield from self._scatters(collection, command.get("filter", {}), "find")

    def _count(self, collection: str, command: Bson) -> Iterator[str]:
        if _is_snapshot(command) or _in_transaction(command):
            yield "count has no snapshot, and is not part of a transaction"
        yield from self._scatters(collection, command.get("query", {}), "count")

    def _distinct(self, collection: str, command: Bson) -> Iterator[str]:
        if collection in self.keys and (_is_snapshot(command) or _in_transaction(command)):
            yield "distinct on a sharded collection has no snapshot, and is not part of a transaction"
        yield from self._scatters(collection, command.get("query", {}), "distinct")

    def _aggregate(self, collection: str, command: Bson) -> Iterator[str]:
        is_transaction = _in_transaction(command)
        yield from self._pipeline(collection, command["pipeline"], "aggregate", is_transaction=is_transaction)

    def _pipeline(
        self, collection: str, stages: Sequence[Bson], name: str, *, is_transaction: bool, targeted: bool = False
    ) -> Iterator[str]:
        first: Bson = stages[0].get("$match", {}) if stages else {}
        if not targeted and not _is_nothing(first):
            yield from self._scatters(collection, first, name)
        for stage in stages:
            for operator, value in stage.items():
                yield from self._stage(operator, value, is_transaction=is_transaction)

    def _stage(self, operator: str, value: Any, *, is_transaction: bool) -> Iterator[str]:
        if operator in ("$lookup", "$graphLookup") and value.get("from") in self.keys:
            if is_transaction:
                yield f"{operator} from a sharded collection inside of a transaction"
            within = value.get("pipeline", [])
            by_key = value.get("foreignField") == "projectId" or _names_project(
                value.get("restrictSearchWithMatch", {})
            )
            yield from self._pipeline(value["from"], within, operator, is_transaction=is_transaction, targeted=by_key)
        elif operator == "$unionWith":
            if is_transaction:
                yield "$unionWith inside of a transaction"
            union = {"coll": value, "pipeline": []} if isinstance(value, str) else value
            yield from self._pipeline(
                union["coll"], union.get("pipeline", []), "$unionWith", is_transaction=is_transaction
            )
        elif operator == "$facet":
            for stages in value.values():
                for stage in stages:
                    for inner, one in stage.items():
                        yield from self._stage(inner, one, is_transaction=is_transaction)
        elif operator == "$out" and (value["coll"] if isinstance(value, Mapping) else value) in self.keys:
            yield "$out to a sharded collection"
        elif operator == "$merge":
            into = value["into"] if isinstance(value, Mapping) else value
            if is_transaction:
                yield "$merge inside of a transaction"
            if into in self.keys and isinstance(value, Mapping) and "on" in value:
                on = [value["on"]] if isinstance(value["on"], str) else value["on"]
                if not set(self.keys[into]) <= set(on):
                    yield f"$merge into a sharded collection is on {', '.join(on)}, without the whole shard key"

    def _create_indexes(self, collection: str, command: Bson) -> Iterator[str]:
        key = self.keys.get(collection, [])
        for one in command["indexes"]:
            if one.get("unique") and [*one["key"]][: len(key)] != key:
                yield f"the unique index {one['name']} does not begin with the shard key"

    def _map_reduce(self, collection: str, command: Bson) -> Iterator[str]:
        yield "mapReduce is not part of the Stable API"


COMMANDS: Mapping[str, Callable[[Router, str, Bson], Iterator[str]]] = {
    "insert": Router._insert,
    "findAndModify": Router._find_and_modify,
    "update": Router._update,
    "delete": Router._delete,
    "find": Router._find,
    "count": Router._count,
    "distinct": Router._distinct,
    "aggregate": Router._aggregate,
    "createIndexes": Router._create_indexes,
    "mapReduce": Router._map_reduce,
}


def _is_equal(condition: Bson, field: str) -> bool:
    """Returns whether a condition binds a field to one value."""
    if field in condition:
        value = condition[field]
        return not isinstance(value, Mapping) or "$eq" in value or not any(key.startswith("$") for key in value)
    return any(_is_equal(one, field) for one in condition.get("$and", ()))


def _names_project(condition: Bson) -> bool:
    alternatives = condition.get("$or", ())
    return _is_equal(condition, "projectId") or (bool(alternatives) and all(map(_names_project, alternatives)))


def _is_nothing(condition: Bson) -> bool:
    """Returns whether a condition matches no record, as that of the relay that begins with no feed."""
    return "_id" in condition and condition["_id"] is None


def _fields_of(operator: str, fields: Any, key: Sequence[str]) -> Iterator[str]:
    names = fields if isinstance(fields, Mapping) else [fields] if isinstance(fields, str) else fields
    if operator in ("$replaceWith", "$replaceRoot"):
        yield from (field for field in key if field != "_id")
        return
    for name in names if operator != "$project" else ():
        yield from (field for field in key if name == field or str(name).startswith(f"{field}."))
    if operator == "$rename":
        yield from (field for field in key if field in fields.values())


def _has_collation(command: Bson) -> bool:
    return command.get("collation", {}).get("locale", "simple") != "simple"


def _is_snapshot(command: Bson) -> bool:
    return command.get("readConcern", {}).get("level") == "snapshot"


def _in_transaction(command: Bson) -> bool:
    return command.get("autocommit") is False


def _shape(condition: Bson) -> str:
    return f"{{{', '.join(map(str, condition))}}}"


@cache
def _part_of(file: str) -> str:
    """Returns the folder of this checkout that a file is in; empty for the driver, whose caller counts."""
    path = Path(file)
    if path.is_relative_to(CHECKOUT) and ".venv" not in path.parts:
        return path.relative_to(CHECKOUT).parts[0]
    is_driver = any(part in DRIVER or part.removesuffix(".py") in DRIVER for part in path.parts)
    return "" if is_driver else "other"


def sent_by_the_application() -> bool:
    """Returns whether a file of the application called the driver, and not a test."""
    frame: FrameType | None = inspect.currentframe()
    frame = frame.f_back if frame else None
    while frame is not None:
        file = frame.f_code.co_filename
        if file != __file__ and (part := _part_of(file)):
            return part in PARTS
        frame = frame.f_back
    return False


OF_THE_SESSION = Router()
OF_THE_SESSION.is_ours = sent_by_the_application
