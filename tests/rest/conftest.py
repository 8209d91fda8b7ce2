"""The management API with each of its answers held to the OpenAPI document."""

import pytest
from flask import Flask

from tests.documented import Documented, DocumentedRest
from tests.make import Project


@pytest.fixture(scope="session")
def documented(app: Flask) -> Documented:
    """What the OpenAPI document says of every answer."""
    return Documented(app.test_client().get("/openapi.json").json)


@pytest.fixture
def api(app: Flask, project: Project, documented: Documented) -> DocumentedRest:
    """The management API, called with a token that may do everything; every answer is as documented."""
    return DocumentedRest(app.test_client(), project.token("A script"), documented)
