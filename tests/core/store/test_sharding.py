"""What sharding needs: keys with indexes that serve them, and commands that a router takes and sends to one shard.

The router of the session (`tests/router.py`) listens over the whole suite; here it is proved that it finds what it is
to find, and that a real mongod accepts each key.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.errors import OperationFailure
from pymongo.read_concern import ReadConcern

from app.core.store.outbox import Outboxes
from app.core.store.sharding import refused, shard_key
from app.core.store.store import Store
from app.features import ALL
from tests.http.servers import servers
from tests.make import a_project
from tests.router import CHECKOUT, OF_THE_SESSION, Router
from tests.valid_calls import CALLS, Scene
from tests.watched import FOLDER, RouterLog, verdict

pytestmark = pytest.mark.needs_mongod

PROJECT, ONE = ObjectId(), ObjectId()
OURS = {"projectId": PROJECT, "_id": ONE}

Collection = Any
Session = Any


def in_transaction(run: Callable[[Collection, Session], object]) -> Callable[[Collection], None]:
    def planted(collection: Collection) -> None:
        with collection.database.client.start_session() as session, session.start_transaction():
            run(collection, session)

    return planted


def snapshot(collection: Collection) -> Collection:
    return collection.with_options(read_concern=ReadConcern("snapshot"))


def joined(collection: Collection, session: Session, **stage: Any) -> None:
    list(collection.aggregate([{"$match": OURS}, stage], session=session))


LOOKUP = {"from": "bodies", "localField": "projectId", "foreignField": "projectId", "as": "found"}
GRAPH = {"from": "bodies", "startWith": "$a", "connectFromField": "a", "connectToField": "b", "as": "found"}

PLANTED: dict[str, Callable[[Collection], object]] = {
    "a record has no projectId": lambda c: c.insert_one({"_id": ObjectId()}),
    "needs the whole shard key": lambda c: c.find_one_and_update({"projectId": PROJECT}, {"$set": {"a": 1}}),
    "has a collation": lambda c: c.find_one_and_delete(OURS, collation={"locale": "en"}),
    "a single one needs the whole shard key": lambda c: c.update_one({"projectId": PROJECT}, {"$set": {"a": 1}}),
    "delete on bodies: a single one needs": lambda c: c.delete_one({"projectId": PROJECT, "a": 1}),
    "an upsert needs the whole shard key": lambda c: c.update_one({"_id": ONE}, {"$set": {"a": 1}}, upsert=True),
    "$set changes projectId": lambda c: c.update_one(OURS, {"$set": {"projectId": ObjectId()}}),
    "$unset changes projectId": lambda c: c.update_many({"projectId": PROJECT}, {"$unset": {"projectId": ""}}),
    "$rename changes projectId": lambda c: c.update_one(OURS, {"$rename": {"a": "projectId"}}),
    "the new record has another projectId": lambda c: c.replace_one(OURS, {"a": 1}),
    "$replaceWith changes projectId": lambda c: c.update_one(OURS, [{"$replaceWith": {"_id": ONE, "a": 1}}]),
    "$lookup from a sharded": in_transaction(lambda c, session: joined(c, session, **{"$lookup": LOOKUP})),
    "$graphLookup from a sharded": in_transaction(lambda c, session: joined(c, session, **{"$graphLookup": GRAPH})),
    "$unionWith inside of a transaction": in_transaction(
        lambda c, session: joined(c, session, **{"$unionWith": "bodies"})
    ),
    "$out to a sharded": lambda c: list(c.aggregate([{"$match": OURS}, {"$out": "bodies"}])),
    "distinct on a sharded": lambda c: snapshot(c).distinct("a", {"projectId": PROJECT}),
    "the unique index a_1": lambda c: c.create_index("a", unique=True),
    "find on bodies: reaches every shard": lambda c: c.find_one({"projectId": {"$in": [PROJECT]}}),
    "find on bodies: reaches every shard: {$or}": lambda c: c.find_one({"$or": [OURS, {"_id": ONE}]}),
    "aggregate on bodies: reaches every shard": lambda c: list(c.aggregate([{"$match": {"_id": ONE}}])),
    "update on bodies: reaches every shard": lambda c: c.update_many({"a": 1}, {"$set": {"a": 1}}),
}
"""What a router would refuse or scatter, by the beginning or the middle of the line that says so."""

TAKEN: tuple[Callable[[Collection], object], ...] = (
    lambda c: c.insert_one(dict(OURS)),
    lambda c: c.find_one_and_update(OURS, {"$set": {"a": 1, "projectId": PROJECT}}),
    lambda c: c.update_one({**OURS, "a": 1}, {"$setOnInsert": {"b": 1}}, upsert=True),
    lambda c: c.replace_one(OURS, {"projectId": PROJECT, "a": 1}),
    lambda c: c.find_one({"$or": [OURS, {"projectId": PROJECT, "a": 2}]}),
    lambda c: list(c.aggregate([{"$match": OURS}, {"$lookup": LOOKUP}])),
    lambda c: c.delete_many({"projectId": PROJECT, "a": {"$gt": 5}}),
    lambda c: c.create_index([("projectId", 1), ("_id", 1), ("a", 1)], unique=True),
)


@pytest.fixture
def planted(mongodb_uri: str, fresh_store: Store) -> Iterator[tuple[Router, Collection]]:
    """A router of the test's own, and a collection without a validator that it listens to."""
    own = Router(anywhere={})
    with MongoClient[Any](mongodb_uri, event_listeners=[own]) as client:
        yield own, client[f"{fresh_store.database.name}_planted"].bodies
        client.drop_database(f"{fresh_store.database.name}_planted")


@pytest.mark.parametrize("line", PLANTED)
def test_what_a_router_refuses_or_scatters_is_found(planted: tuple[Router, Collection], line: str) -> None:
    own, collection = planted
    collection.insert_one({**OURS, "a": 0})
    own.take()
    with suppress(OperationFailure):  # a mongod refuses some, too
        PLANTED[line](collection)

    assert any(line in found for found in own.take())


@pytest.mark.parametrize("number", range(len(TAKEN)))
def test_what_a_router_takes_is_not_found(planted: tuple[Router, Collection], number: int) -> None:
    own, collection = planted
    TAKEN[number](collection)

    assert own.seen
    assert own.take() == []


def test_what_a_server_process_sends_is_judged(mongodb_uri: str, fresh_store: Store, tmp_path: Path) -> None:
    project = a_project(fresh_store)
    with servers(mongodb_uri, fresh_store.database.name, **{FOLDER: str(tmp_path)}) as start:
        assert start().wait().call("GET", "/documents", project.token().secret).status == 200

    taken, refused = verdict(tmp_path)
    assert {"find on documents", "find on form"} <= taken
    assert refused == []


def test_a_process_writes_each_finding_once(mongodb_uri: str, fresh_store: Store, tmp_path: Path) -> None:
    with MongoClient[Any](mongodb_uri, event_listeners=[RouterLog(tmp_path)]) as client:
        for number in (1, 2):
            client[fresh_store.database.name].publications.find_one({"a": number})

    assert verdict(tmp_path) == ({"find on publications"}, ["find on publications: reaches every shard: {a}"])


def test_each_collection_has_a_shard_key(fresh_store: Store) -> None:
    ours = {one for one in fresh_store.database.list_collection_names() if not one.startswith("imageFiles.")}  # GridFS
    assert ours <= ALL.shard_keys.keys(), (
        "Name the key of a new collection in `shard_keys` of its folder's `Storage`, with an index that serves it: "
        "`key_index` makes one."
    )


@pytest.mark.parametrize("name", ALL.shard_keys)
def test_a_key_is_the_project_or_with_the_id_and_begins_each_unique_index(name: str) -> None:
    key = ALL.shard_keys[name].split()

    assert key in (["projectId"], ["projectId", "_id"])
    for index in ALL.indexes:
        if index.collection == name and index.options.get("unique"):
            assert [field for field, _ in index.keys][: len(key)] == key, index.name


def test_the_page_on_deployment_names_each_collection_whose_key_has_the_id() -> None:
    page = (CHECKOUT / "docs" / "deployment.md").read_text("utf-8")
    named = page.partition("`{projectId: 1, _id: 1}` for ")[2].partition(", which have no unique index")[0]

    assert re.findall(r"`(\w+)`", named) == sorted(name for name, key in ALL.shard_keys.items() if key.endswith("_id"))


def accepts(store: Store, name: str, key: dict[str, int]) -> bool:
    """Returns whether a mongod finds the index that sharding by a key needs; mongos asks it the same."""
    try:
        store.database.client.admin.command("checkShardingIndex", f"{store.database.name}.{name}", keyPattern=key)
    except OperationFailure:
        return False
    return True


def test_a_mongod_accepts_the_key_of_every_collection_with_every_kind_of_record(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = dict.fromkeys(ALL.shard_keys, ["projectId", "_id"])  # every operation can do with the longest key
    monkeypatch.setattr(OF_THE_SESSION, "keys", whole)
    for name, call in CALLS.items():
        seen = OF_THE_SESSION.seen
        project = a_project(fresh_store)
        scene = Scene(project, project.token())
        made = call(scene)
        scene.call(name, *made.ids, **made.fields)
        fresh_store[Outboxes].publish_all(project.id)
        assert OF_THE_SESSION.seen > seen

    assert fresh_store.database.documents.count_documents({}) > len(CALLS) / 2
    assert [name for name, key in ALL.shard_keys.items() if not accepts(fresh_store, name, shard_key(key))] == []
    assert refused(fresh_store.database, ALL.shard_keys) == []


SPOILED: dict[str, Callable[[Collection], object]] = {
    "documents: no index begins with the shard key projectId": lambda c: c.drop_indexes(),
    "projectId_a leaves records out": lambda c: (
        c.drop_indexes(),
        c.create_index("projectId", name="projectId_a", partialFilterExpression={"a": 1}),
    ),
    "projectId_a has a collation": lambda c: (
        c.drop_indexes(),
        c.create_index("projectId", name="projectId_a", collation={"locale": "en"}),
    ),
    "projectId_a has several entries for one record": lambda c: (
        c.drop_indexes(),
        c.create_index([("projectId", 1), ("a", 1)], name="projectId_a"),
        c.insert_one({"_id": ObjectId(), "projectId": PROJECT, "a": [1, 2]}),
    ),
    "the index a_1 is unique and does not begin": lambda c: c.create_index("a", unique=True),
}


@pytest.mark.parametrize("line", SPOILED)
def test_what_sharding_would_refuse_is_said_as_a_mongod_does(fresh_store: Store, line: str) -> None:
    database = fresh_store.database
    database.command("collMod", "documents", validator={})
    SPOILED[line](database.documents)

    [found] = [one for one in refused(database, ALL.shard_keys) if line in one]
    assert found.startswith("documents: ")
    assert accepts(fresh_store, "documents", {"projectId": 1}) == ("unique" in found)
