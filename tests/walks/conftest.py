"""A service on a database of its own, with two projects in it, whose commands to MongoDB are counted."""

from collections.abc import Iterator
from functools import partial

import pytest
from flask import Flask
from pymongo import MongoClient, monitoring

from app.cli.db import create_missing
from app.core.store.store import Store
from app.projects.store import Projects
from tests.databases import bare
from tests.listener import Listener
from tests.make import a_project, an_uncached_app
from tests.valid_calls import Scene
from tests.walks.others import Theirs, fill


class Commands(Listener):
    """The commands that were sent to MongoDB, each with its collection, but those sent every few seconds."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, object]] = []

    def started(self, event: monitoring.CommandStartedEvent) -> None:
        if (collection := event.command.get(event.command_name)) != "form":
            self.sent.append((event.command_name, collection))


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands()


@pytest.fixture(scope="module", autouse=True)
def nothing_remembered() -> Iterator[None]:
    """Has settings and names be read each time: else the machine's speed would decide which commands a call sends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Projects, "recent_settings", Projects.settings)
        yield


@pytest.fixture(scope="module")
def own_store(mongodb_uri: str, commands: Commands) -> Iterator[Store]:
    """A database of this module's own, small enough to be compared whole."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.core.store.store.MongoClient", partial(MongoClient, event_listeners=[commands]))
        with bare(mongodb_uri) as store:
            patch.undo()
            create_missing(store)
            yield store


@pytest.fixture(scope="module")
def service(own_store: Store) -> Flask:
    """A server that looks tokens and sessions up on each request."""
    return an_uncached_app(own_store)


@pytest.fixture(scope="module")
def theirs(own_store: Store) -> Theirs:
    """Another project, with one of everything in it."""
    project = a_project(own_store, name="zanzibar")
    return fill(Scene(project, project.token("zanzibar")))


@pytest.fixture
def scene(own_store: Store) -> Scene:
    """A project of the test's own, and a token of it that may do everything."""
    project = a_project(own_store)
    return Scene(project, project.token())
