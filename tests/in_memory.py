"""A store on mongomock, for the fast tests: one transaction at a time, undone when it fails, and update pipelines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mongomock
from mongomock import aggregate
from mongomock.aggregate import process_pipeline
from pymongo import IndexModel

from app.store.store import CODEC, Store
from app.store.validators import REQUIRED, validator


def store() -> Store:
    """Returns a store with an empty database in memory."""
    records = mongomock.MongoClient().get_database("test", codec_options=CODEC)
    return _Store(_Database(records, threading.RLock()), deadline_seconds=10)


class _Store(Store):
    """A store that restores every record when a transaction is aborted."""

    def with_transaction(self, work: Callable[[Any], Any]) -> Any:
        database: Any = self.database
        records = database._database
        with database._lock:
            before = {name: list(records[name].find()) for name in records.list_collection_names()}
            try:
                return work(None)
            except Exception:
                for name in records.list_collection_names():
                    records[name].delete_many({})
                    if before.get(name):
                        records[name].insert_many(before[name])
                raise


class _Expressions(aggregate._Parser):
    """Evaluates expressions as mongomock does, and those that our pipelines need beside."""

    def parse(self, expression: Any) -> Any:
        if isinstance(expression, list):
            return [self.parse(one) for one in expression]
        if isinstance(expression, dict) and "$mergeObjects" in expression:
            merged = [self.parse(one) for one in expression["$mergeObjects"]]
            return {key: value for one in merged for key, value in (one or {}).items()}
        return super().parse(expression)


aggregate._Parser = _Expressions


class _Database:
    """A mongomock database whose collections know update pipelines."""

    def __init__(self, database: Any, lock: Any) -> None:
        self._database = database
        self._lock = lock

    def __getitem__(self, name: str) -> _Collection:
        return _Collection(self._database[name], self._lock)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name) if name in ("name", "client") else self[name]

    def list_collections(self) -> list[dict[str, Any]]:
        """Returns the collections as MongoDB would with their validators, which nothing checks in memory."""
        return [{"name": name, "options": {"validator": validator(name)}} for name in REQUIRED]

    def command(self, name: str) -> Any:
        return {"setName": "in memory"} if name == "hello" else self._database.command(name)


class _Collection:
    """A mongomock collection that knows update pipelines."""

    def __init__(self, collection: Any, lock: Any) -> None:
        self._collection = collection
        self._lock = lock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collection, name)

    def with_options(self, **options: Any) -> _Collection:
        """Returns itself: in memory there is nothing but what was written."""
        return self

    def create_indexes(self, models: Sequence[IndexModel]) -> None:
        """Creates indexes one by one, with the options that mongomock leaves out when it creates several."""
        for model in models:
            options = {name: value for name, value in model.document.items() if name != "key"}
            self._collection.create_index(list(model.document["key"].items()), **options)

    def find(self, *arguments: Any, hint: Any = None, collation: Any = None, **options: Any) -> Any:
        """Finds records; no index is any faster in memory, and strings are compared as they are."""
        return self._collection.find(*arguments, **options)

    def find_one(self, *arguments: Any, hint: Any = None, **options: Any) -> Any:
        """Finds a record."""
        return self._collection.find_one(*arguments, **options)

    def aggregate(self, pipeline: Sequence[Any], session: Any = None, **options: Any) -> Iterator[Any]:
        """Runs a pipeline that may end with stages `$unionWith`, each of which adds the rows of another."""
        own = [stage for stage in pipeline if "$unionWith" not in stage]
        others = [stage["$unionWith"] for stage in pipeline if "$unionWith" in stage]
        rows = list(self._collection.aggregate(own))
        for other in others:
            rows += self._collection.database[other["coll"]].aggregate(other["pipeline"])
        return iter(rows)

    def find_one_and_update(self, condition: Any, change: Any, *, hint: Any = None, **options: Any) -> Any:
        """Changes the first record that meets a condition, also by a pipeline."""
        with self._lock:
            if not isinstance(change, list):
                return self._collection.find_one_and_update(condition, change, **options)
            found = self._collection.find_one(condition, sort=options.get("sort"))
            if found is None:
                return None
            [changed] = process_pipeline([found], self._collection.database, change, None)
            self._collection.replace_one({"_id": found["_id"]}, changed)
            return self._collection.find_one({"_id": found["_id"]}, options.get("projection"))
