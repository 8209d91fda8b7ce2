"""What the tests of the delivery API share."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.graphql_app.client import GraphQL, delivery_token
from tests.make import Project


@pytest.fixture
def graphql(app: Flask, project: Project) -> GraphQL:
    """The delivery API, called with a token that sees what is published."""
    return GraphQL(app.test_client(), delivery_token(project))


@pytest.fixture
def preview(graphql: GraphQL, project: Project) -> GraphQL:
    """The delivery API, called with a token that sees drafts too."""
    return graphql.by(delivery_token(project, drafts=True))
