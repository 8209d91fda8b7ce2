"""What the clients of the delivery API need: a site with two articles, and npm's packages."""

from pathlib import Path

import pytest

from tests.clients.npm import installed
from tests.graphql_app.client import delivery_token, published
from tests.make import Project, Token, made

HERE = Path(__file__).parent


@pytest.fixture
def reader(project: Project) -> Token:
    """A delivery token of a project with two articles in one category."""
    bread = made(project.context(), "category", name="Bread", slug="bread")
    for title in ("Rye", "Spelt"):
        published(project, title=title, slug=title.lower(), markdown=f"{title} is *good*.", categoryId=bread["id"])
    return delivery_token(project)


@pytest.fixture(scope="session")
def graphql_tools() -> Path:
    """The folder of the packages that package-lock.json names."""
    return installed(HERE, "the audit and the TypeScript clients are not tried")
