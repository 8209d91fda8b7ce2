"""`db init` on collections with records: indexes are built without a deadline, in one pass."""

import random
from collections.abc import Callable, Iterator
from contextvars import Context

import pytest
from bson import ObjectId

from app.cli.db import prepare
from app.core.context import this_instant
from app.core.store.indexes import differences
from app.core.store.store import Store
from app.documents.indexes import SLUGS
from tests.databases import bare

pytestmark = pytest.mark.needs_mongod

MANY = 3_000
"""So many documents that all indexes together take longer to build than `DEADLINE`, in seconds."""
DEADLINE = 0.5

# A command has a context of its own: in that of a test, requests may have used up the deadline before.

Filled = Callable[[int], Store]


@pytest.fixture
def filled(mongodb_uri: str) -> Iterator[Filled]:
    """Makes a database with so many documents and no indexes."""

    def fill(number: int) -> Store:
        now, words = this_instant(), [f"word{index}" for index in range(2_000)]
        common = {"projectId": ObjectId(), "status": "drafting", "version": 1, "rev": 1, "outbox": [], "title": "Rye"}
        common |= {"createdAt": now, "updatedAt": now, "deletedAt": None, "isPublished": False}
        slugs = [f"rye-{index}" for index in range(number)]
        rows = [
            {**common, "slug": slug, "slugs": [slug], "slugKeys": [slug], "words": random.sample(words, 15)}
            for slug in slugs
        ]
        store.database.documents.insert_many(rows)
        return store

    with bare(mongodb_uri, deadline_seconds=DEADLINE) as store:
        yield fill


def test_building_indexes_may_take_longer_than_the_deadline_of_a_request(filled: Filled) -> None:
    assert Context().run(prepare, filled(MANY)) == []


def test_records_that_break_a_unique_index_are_named_and_the_other_indexes_built(filled: Filled) -> None:
    store = filled(1)
    row = store.database.documents.find_one({}, {"_id": 0})
    store.database.documents.insert_one(row)

    lines = Context().run(prepare, store)

    assert lines[0].startswith(f"documents: the index {SLUGS.name} can't be built, as several records have {{")
    assert lines[0].endswith('slugKeys: "rye-0" }.')
    assert (
        lines[1:]
        == [f"documents: the index {SLUGS.name} is missing: {SLUGS.why}."]
        == differences(store.database, store.features.indexes)
    )
