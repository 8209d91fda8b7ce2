"""Servers that speak MongoDB's protocol and are not MongoDB: what this service needs and they lack."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pymongo.database import Database
from pymongo.errors import PyMongoError

from app.core.store.types import Bson


@dataclass(frozen=True)
class Engine:
    """A server that is not MongoDB."""

    name: str
    lacks: str
    source: str
    """The page that says so, as it stood in November 2026."""
    hosts: tuple[str, ...] = ()
    """How the names of its hosts end."""
    fields: tuple[str, ...] = ()
    """Fields of its answer to `buildInfo` that MongoDB's has not."""


ENGINES = (
    Engine(
        "Amazon DocumentDB",
        "it indexes an array as a single entry",
        "docs.aws.amazon.com/documentdb/latest/developerguide/functional-differences.html",
        hosts=(".docdb.amazonaws.com", ".docdb-elastic.amazonaws.com"),
    ),
    Engine(
        "Azure Cosmos DB for MongoDB",
        "its transactions are within one unsharded collection, and last 5 s at most",
        "learn.microsoft.com/azure/cosmos-db/mongodb/feature-support-42",
        hosts=(".cosmos.azure.com", ".documents.azure.com"),
    ),
    Engine(
        "FerretDB",
        "it ignores hints and read and write concerns, and has no transactions",
        "docs.ferretdb.io/migration/compatibility",
        fields=("ferretdb", "ferretdbVersion", "ferretdbFeatures"),
    ),
    Engine(
        "Firestore with MongoDB compatibility",
        "its records have 4 MiB at most, and no names with dots",
        "cloud.google.com/firestore/mongodb-compatibility/docs/behavior-differences",
        hosts=(".firestore.goog",),
    ),
)
"""Known ones; an unknown one is found by what it does (`Store.check_writes`)."""


def known(hosts: Iterable[str], built: Mapping[str, Any]) -> Engine | None:
    """Returns the server with these hosts and this `buildInfo`; None for MongoDB, and for one that nobody knows."""
    named = [host.lower() for host in hosts]
    for engine in ENGINES:
        if any(host.endswith(engine.hosts) for host in named) or any(name in built for name in engine.fields):
            return engine
    return None


def reason(database: Database[Bson]) -> str:
    """Returns what an operator is told about the server; empty for MongoDB."""
    hosts = [host for host, _ in database.client.topology_description.server_descriptions()]
    try:
        built = database.command("buildInfo")
    except PyMongoError:
        built = {}
    engine = known(hosts, built)
    return f"this is {engine.name}: {engine.lacks}; see {engine.source}" if engine else ""
