"""What `sh.shardCollection` would refuse: `db check --sharding` compares the collections with MongoDB's rules.

Each folder names the shard keys of its collections (`Storage.shard_keys`). The rules, and the pages of MongoDB's
documentation that they come from, are in docs/reliability.md.
"""

from collections.abc import Iterator, Mapping

from pymongo.collection import Collection
from pymongo.database import Database

from app.core.store.types import Bson

SIMPLE = "simple"
"""The locale of a collation that compares bytes, as no collation does."""


def shard_key(fields: str) -> Bson:
    """Returns a shard key as `sh.shardCollection` takes it."""
    return dict.fromkeys(fields.split(), 1)


def refused(database: Database[Bson], keys: Mapping[str, str]) -> list[str]:
    """Returns a line for everything for which MongoDB would refuse to shard the collections by their keys."""
    return [line for name, fields in sorted(keys.items()) for line in _refused(database, name, fields.split())]


def _refused(database: Database[Bson], name: str, key: list[str]) -> Iterator[str]:
    kind = next((row for row in database.list_collections(filter={"name": name})), None)
    if kind is None:
        return  # MongoDB creates it, with its index, when it is sharded
    if kind["type"] != "collection" or kind.get("options", {}).get("capped"):
        yield f"{name}: a view, a time series or a capped collection can't be sharded by {', '.join(key)}."
        return
    collection = database[name]
    present = collection.index_information()
    lacking = [_lacks(collection, title, row, key) for title, row in present.items() if _begins(row, key)]
    if not lacking:
        yield f"{name}: no index begins with the shard key {', '.join(key)}: `content-workflow db init` creates it."
    elif all(lacking):
        yield f"{name}: no index serves the shard key {', '.join(key)}: {'; '.join(lacking)}."
    for title, row in present.items():
        if row.get("unique") and not _begins(row, key):
            yield f"{name}: the index {title} is unique and does not begin with the shard key {', '.join(key)}."


def _begins(row: Bson, key: list[str]) -> bool:
    """Returns whether an index begins with a key; in ascending order, as `sh.shardCollection` takes no other."""
    return [(field, order) for field, order in row["key"][: len(key)]] == [(field, 1) for field in key]


def _lacks(collection: Collection[Bson], title: str, row: Bson, key: list[str]) -> str:
    """Returns why an index that begins with the key does not serve it; empty if it does."""
    if row.get("partialFilterExpression") is not None or row.get("sparse"):
        return f"{title} leaves records out"
    if row.get("collation", {}).get("locale", SIMPLE) != SIMPLE:
        return f"{title} has a collation"
    if _is_multikey(collection, title, key):
        return f"{title} has several entries for one record, as it holds an array"
    return ""


def _is_multikey(collection: Collection[Bson], title: str, key: list[str]) -> bool:
    """Returns whether an index has ever held an array, as `explain` tells: MongoDB never forgets it."""
    stage = collection.find({key[0]: None}).hint(title).explain()["queryPlanner"]["winningPlan"]
    while "inputStage" in stage:
        stage = stage["inputStage"]
    return bool(stage.get("isMultiKey"))
