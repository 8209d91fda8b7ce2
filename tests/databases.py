"""Databases to test on: on the session's mongod, or in memory for `make test-fast`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from uuid import uuid4

import pytest
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient

from app.cli.db import create_missing, differences
from app.core.features import Features
from app.core.store.indexes import create_indexes
from app.core.store.store import Store
from app.features import ALL, connect
from tests import in_memory

CONTRACT = ("projects", "categories", "publications", "documents", "intents", "briefs", "delivery")
"""The folders that no application lacks."""

MONGOMOCK = os.environ.get("CONTENT_WORKFLOW_TEST_STORE") == "mongomock"


PATIENCE = 60
"""Seconds that a request may take: what is right is asked, not how fast a busy machine gets there."""

_IDLE: list[str] = []
"""Databases of this process that no test uses now: to empty one takes a tenth of the time of making one."""


def opened(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Yields an empty database with its indexes, which nobody else uses until the fixture that asked for it ends."""
    if MONGOMOCK:
        store = in_memory.store()
        create_indexes(store.database, store.features.indexes)
        yield store
        return
    uri = request.getfixturevalue("mongodb_uri")
    features = without(request.config.getoption("without"))
    name = _IDLE.pop() if _IDLE else None
    store = connect(uri, name or f"test_{uuid4().hex[:16]}", PATIENCE, features=features)
    if not name:
        create_missing(store)
    yield store
    if differences(store):
        store.database.client.drop_database(store.database.name)
    else:
        empty(store)
        _IDLE.append(store.database.name)
    store.database.client.close()


@cache
def without(names: str | None) -> Features:
    """Returns the lists without some features, named with commas, or without `all`; the whole for None."""
    if names == "all":
        return ALL.without(*(folder for folder in ALL.folders if folder not in CONTRACT))
    return ALL.without(*names.split(",")) if names else ALL


def empty(store: Store) -> None:
    """Deletes every record of the database."""
    for name in store.database.list_collection_names():
        store.database[name].delete_many({})


@contextmanager
def bare(uri: str, **options: Any) -> Iterator[Store]:
    """Yields a database without indexes and validators, which is dropped in the end."""
    store = connect(uri, f"test_{uuid4().hex[:16]}", **options)
    yield store
    store.database.client.drop_database(store.database.name)
    store.database.client.close()


def drop_idle(uri: str) -> None:
    """Drops the databases of this process."""
    with MongoClient[dict[str, Any]](uri) as client:
        for name in _IDLE:
            client.drop_database(name)


def everything(store: Store) -> dict[str, list[bytes]]:
    """Returns every record of the database as its bytes."""
    names = sorted(store.database.list_collection_names())
    raw = store.database.codec_options.with_options(document_class=RawBSONDocument)
    return {
        name: [row.raw for row in store.database.get_collection(name, codec_options=raw).find().sort("_id", 1)]
        for name in names
    }
