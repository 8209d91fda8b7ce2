"""Databases to test on: on the session's mongod, or in memory for `make test-fast`."""

import os
from collections.abc import Iterator
from uuid import uuid4

import pytest
from bson.raw_bson import RawBSONDocument

from app.cli.db import create_missing
from app.store.indexes import create_indexes
from app.store.store import Store, connect
from tests import in_memory

MONGOMOCK = os.environ.get("CONTENT_WORKFLOW_TEST_STORE") == "mongomock"


def opened(request: pytest.FixtureRequest) -> Iterator[Store]:
    """Yields a fresh database with its indexes, which goes when the fixture that asked for it does."""
    if MONGOMOCK:
        store = in_memory.store()
        create_indexes(store.database)
        yield store
        return
    store = connect(request.getfixturevalue("mongodb_uri"), f"test_{uuid4().hex[:16]}")
    create_missing(store)
    yield store
    store.database.client.drop_database(store.database.name)
    store.database.client.close()


def everything(store: Store) -> dict[str, list[bytes]]:
    """Returns every record of the database as its bytes."""
    names = sorted(store.database.list_collection_names())
    raw = store.database.codec_options.with_options(document_class=RawBSONDocument)
    return {
        name: [row.raw for row in store.database.get_collection(name, codec_options=raw).find().sort("_id", 1)]
        for name in names
    }
