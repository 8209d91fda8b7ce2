"""Dumps of small databases, each made by the last commit that had a form, with every kind of record.

A dump is made by the code of that commit, and by this file; form 1 by commit 46b71062, and by this file as it was then.
For form 2, which commit d2ac5743 had:

    git worktree add --detach /tmp/form-2 d2ac5743
    PYTHONPATH=/tmp/form-2 .venv/bin/python tests/migrations/dumps.py tests/migrations/form-2.bson.gz

Each operation that writes is called in a project of its own, by the valid calls of that commit's tests.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import bson
from pymongo import IndexModel
from pymongo.database import Database

FOLDER = Path(__file__).parent
OPTIONS = ("unique", "partialFilterExpression", "expireAfterSeconds", "collation")

Bson = dict[str, Any]


def dumped(database: Database[Bson], **about: Any) -> Iterator[bytes]:
    """Yields a database as BSON: first `about`, then each collection with its indexes, followed by its records."""
    yield bson.encode(about)
    for row in sorted(database.list_collections(), key=lambda row: row["name"]):
        collection = database[row["name"]]
        indexes = [
            {"name": name, "key": list(map(list, one["key"])), **{key: one[key] for key in OPTIONS if key in one}}
            for name, one in collection.index_information().items()
            if name != "_id_"
        ]
        yield bson.encode(
            {"collection": row["name"], "indexes": indexes, "validator": row["options"].get("validator", {})}
        )
        for record in collection.find().sort("_id", 1):
            yield bson.encode({"record": record})


def restored(database: Database[Bson], file: str) -> Bson:
    """Fills an empty database from a dump; returns what the dump says about itself."""
    about, *rows = _records_of(file)
    records: dict[str, list[Bson]] = {}
    for row in rows:
        if name := row.get("collection"):
            records[name] = []
            database.create_collection(name, validator=row["validator"])
            models = [IndexModel(one.pop("key"), **one) for one in row["indexes"]]
            if models:
                database[name].create_indexes(models)
        else:
            records[name_of(records)].append(row["record"])
    for name, some in records.items():
        if some:
            database[name].insert_many(some)
    return about


def about_of(file: str) -> Bson:
    """Returns what a dump says about itself: `secrets`, a token's by its project, and `exports` of each project."""
    return _records_of(file)[0]


def _records_of(file: str) -> list[Bson]:
    return bson.decode_all(gzip.decompress((FOLDER / file).read_bytes()))


def name_of(records: dict[str, list[Bson]]) -> str:
    """Returns the collection that was begun last."""
    return next(reversed(records))


def made(uri: str) -> Iterator[bytes]:
    """Yields the dump of a database that the code of this checkout makes."""
    make, db, flow = import_module("tests.make"), import_module("app.cli.db"), import_module("tests.oauth.flow")
    calls, features = import_module("tests.valid_calls"), import_module("app.features")
    relay = import_module("app.core.store.outbox").Outboxes
    connect = import_module("app.core.store.store").connect
    store: Any = connect(uri, f"dump_{uuid4().hex[:16]}", features=features.ALL)
    db.prepare(store)
    app = make.an_app(store, public_url=flow.ISSUER)
    refusals = import_module("app.core.errors").Refusal
    secrets, keyed = {}, {"Idempotency-Key": "rye-1"}
    for name, call in calls.CALLS.items():
        project = make.a_project(store, name=name)
        scene = calls.Scene(project, project.token("Ingrid Solberg"))
        prepared = call(scene)
        scene.call(name, *prepared.ids, **prepared.fields)
        secrets[project.id] = scene.token.secret
        with suppress(refusals):  # a frozen project refuses it
            limited = scene.call("create_token", name="A", scopes=["read", "write"], budget={"writesPerHour": 9})
            scene.call("update_project", slack="https://hooks.slack.com/services/T0/B0/x7Qd")
            bearer = {"Authorization": f"Bearer {limited['token']}"}
            app.test_client().post("/document-intents", json={"title": "Rye"}, headers={**bearer, **keyed})
        with suppress(AssertionError, KeyError):  # 20 clients may register, and not in a frozen project
            connected = flow.Flow(app)
            connected.connect(scene.token)
            connected.code()
        store[relay].publish_all(project.id)
    exported = exports(store, secrets)
    project = make.a_project(store, name="members")
    scene = calls.Scene(project, project.token("Ingrid Solberg"))
    secrets[project.id] = scene.token.secret
    for member in ("Ada", "ada", "Žofie", "😀"):
        scene.call("create_member", name=member)  # their events stay in the outboxes
    yield from dumped(store.database, secrets=json.dumps(secrets), exports=exported)
    store.database.client.drop_database(store.database.name)


def exports(store: Any, projects: Any) -> dict[str, bytes]:
    """Returns the export of each project."""
    operations = import_module("app.transfers.operations")
    return {one: b"".join(operations.export_project(store, one)) for one in projects}


if __name__ == "__main__":
    from tests.mongod import quick_mongod  # type: ignore[unused-ignore]

    with quick_mongod(Path("/tmp/dump-mongod")) as address:
        Path(sys.argv[1]).write_bytes(gzip.compress(b"".join(made(address)), mtime=0))
