"""What the tests of the delivery API share."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app.core.store.store import Store
from tests.graphql_app.client import GraphQL, delivery_token
from tests.graphql_app.watched import Watched
from tests.make import Project


@pytest.fixture
def graphql(app: Flask, project: Project) -> GraphQL:
    """The delivery API, called with a token that sees what is published."""
    return GraphQL(app.test_client(), delivery_token(project))


@pytest.fixture
def preview(graphql: GraphQL, project: Project) -> GraphQL:
    """The delivery API, called with a token that sees drafts too."""
    return graphql.by(delivery_token(project, drafts=True))


@pytest.fixture(scope="session")
def watched_server(mongodb_uri: str, store: Store) -> Iterator[Watched]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.projects.access.Access.__init__.__defaults__", (3_600,))
        server = Watched(mongodb_uri, store.database.name)
    yield server
    server.client.close()


@pytest.fixture
def watched(watched_server: Watched) -> Watched:
    """A server whose reads are counted; it looks a token up once, however slow the machine is."""
    watched_server.clear()
    return watched_server
