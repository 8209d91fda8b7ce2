"""A store on mongomock, for the fast tests: one transaction at a time, undone when it fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import mongomock
from pymongo import IndexModel

from app.core.store.store import CODEC, Store
from app.features import ALL


def store() -> Store:
    """Returns a store with an empty database in memory."""
    records = mongomock.MongoClient().get_database("test", codec_options=CODEC)
    return _Store(_Database(records, threading.RLock()), deadline_seconds=10, features=ALL)


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


class _Database:
    """A mongomock database as the store uses one."""

    def __init__(self, database: Any, lock: Any) -> None:
        self._database = database
        self._lock = lock

    def __getitem__(self, name: str) -> _Collection:
        return _Collection(self._database[name], self._lock)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name) if name in ("name", "client") else self[name]

    def list_collections(self) -> list[dict[str, Any]]:
        """Returns the collections as MongoDB would with their validators, which nothing checks in memory."""
        return [{"name": name, "options": {"validator": one}} for name, one in ALL.validators.items()]

    def command(self, name: str) -> Any:
        hello = {"setName": "in memory", "localTime": datetime.now(UTC)}
        return hello if name == "hello" else self._database.command(name)


class _Collection:
    """A mongomock collection that takes hints, options and indexes."""

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

    def find(
        self, condition: Any, fields: Any = None, *, hint: Any = None, collation: Any = None, **options: Any
    ) -> Any:
        """Finds records; no index is any faster in memory, strings are compared as they are, and texts are short."""
        plain = fields and {name: 1 if isinstance(value, dict) else value for name, value in fields.items()}
        return self._collection.find(condition, plain, **options)

    def find_one(self, *arguments: Any, hint: Any = None, **options: Any) -> Any:
        """Finds a record."""
        return self._collection.find_one(*arguments, **options)
