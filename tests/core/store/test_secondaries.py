"""What is delivered may be read from secondaries, and is never older than what was acknowledged."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pymongo
import pytest
from pymongo import monitoring

from app.cli.db import create_missing
from app.core.errors import BadRequest
from app.core.store.store import Store
from app.features import connect
from chaos.cluster import Member, ReplicaSet
from tests.graphql_app.client import GraphQL, delivery_token, published, run
from tests.listener import Listener
from tests.make import Project, a_project, an_app, made

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

QUERY = "{ documents { title html category { name } author { name } } }"


class Reads(Listener):
    """The ports that collections were read from."""

    def __init__(self) -> None:
        self.ports: dict[str, int] = {}

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if event.command_name == "find":
            self.ports[event.command["find"]] = event.connection_id[1] or 0


@pytest.fixture(scope="module")
def replica_set(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReplicaSet]:
    members = ReplicaSet(tmp_path_factory.mktemp("replica-set"))
    try:
        members.start()
        yield members
    finally:
        members.stop()


@pytest.fixture(scope="module")
def secondary(replica_set: ReplicaSet) -> Member:
    """The only secondary that clients know of: the other one is hidden, and acknowledges writes."""
    primary, (visible, hidden) = replica_set.primary(), replica_set.secondaries()
    with pymongo.MongoClient[Any](primary.address, directConnection=True) as client:
        config = client.admin.command("replSetGetConfig")["config"]
        config["version"] += 1
        for member in config["members"]:
            if member["host"] == hidden.address:
                member |= {"priority": 0, "hidden": True}
        client.admin.command("replSetReconfig", config)
    return visible


@pytest.fixture(scope="module")
def reads() -> Reads:
    return Reads()


@pytest.fixture(scope="module")
def from_secondaries(replica_set: ReplicaSet, secondary: Member, reads: Reads) -> Iterator[Store]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.core.store.store.MongoClient", partial(pymongo.MongoClient, event_listeners=[reads]))
        store = connect(replica_set.uri, delivery_read_preference="secondary")
    create_missing(store)
    yield store
    store.database.client.close()


def test_what_was_unpublished_is_gone_at_once_though_a_secondary_lags(
    replica_set: ReplicaSet, secondary: Member, from_secondaries: Store, reads: Reads
) -> None:
    project: Project = a_project(from_secondaries)
    document = published(project, title="Rye", markdown="Dark.")
    api = GraphQL(an_app(from_secondaries).test_client(), delivery_token(project))

    def titles() -> list[str]:
        reads.ports.clear()
        return [one["title"] for one in api.data(QUERY)["documents"]]

    assert titles() == ["Rye"]
    assert reads.ports["deliveryRevisions"] == replica_set.primary().port
    assert reads.ports["publications"] == secondary.port
    secondary.client.admin.command("fsync", lock=True)  # it answers reads, and applies no write
    try:
        run(project, "unpublish_document", document["id"])
        assert secondary.client[from_secondaries.database.name].publications.count_documents({}) == 1
        assert titles() == []
        assert api.feed("feed").status_code == 422  # the project has no site
    finally:
        secondary.client.admin.command("fsyncUnlock")
    run(project, "publish_document", document["id"])
    assert titles() == ["Rye"]
    assert reads.ports["publications"] == reads.ports["bodies"] == secondary.port


def test_what_was_published_is_there_at_once(from_secondaries: Store) -> None:
    project = a_project(from_secondaries)
    run(project, "update_project", siteUrl="https://bread.example")
    api = GraphQL(an_app(from_secondaries).test_client(), delivery_token(project))

    for number in range(20):
        document = published(project, title=f"Loaf {number}", slug=f"loaf-{number}")
        assert api.data("{ documents(limit: 1) { title html } }")["documents"][0]["title"] == f"Loaf {number}"
        assert f"loaf-{number}<" in api.feed("sitemap").text
        run(project, "unpublish_document", document["id"])
        assert api.data("{ documents(limit: 1) { title } }") == {"documents": []}


def test_two_categories_are_never_moved_below_each_other_while_secondaries_lag(
    replica_set: ReplicaSet, from_secondaries: Store
) -> None:
    project = a_project(from_secondaries)
    bread, rye = (made(project.context(), "category", name=name, slug=name.lower())["id"] for name in ("Bread", "Rye"))
    secondaries = [member.client.admin for member in replica_set.secondaries()]
    for admin in secondaries:
        admin.command("fsync", lock=True)  # so that the primary waits with what it has written
    with ThreadPoolExecutor(2) as pool:
        try:
            first = pool.submit(run, project, "update_category", bread, categoryId=rye)
            time.sleep(1)
            second = pool.submit(run, project, "update_category", rye, categoryId=bread)
            time.sleep(1)
        finally:
            for admin in secondaries:
                admin.command("fsyncUnlock")
        assert {type(one.exception()) for one in (first, second)} == {BadRequest, type(None)}
