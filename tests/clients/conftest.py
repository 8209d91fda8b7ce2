"""What clients need: the API on a port, its OpenAPI document, a message of a webhook, and the tools of npm."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.core.store.store import Store
from tests.clients.npm import installed
from tests.live import serving
from tests.make import Project, an_app
from tests.rest.client import Rest
from tests.webhooks.conftest import Hook, Post
from tests.webhooks.receiver import receiving

HERE = Path(__file__).parent


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """Where the API is served."""
    with serving(app) as address:
        yield address


@pytest.fixture
def document(app: Flask, tmp_path: Path) -> Path:
    """The OpenAPI document, as the server gives it."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(app.test_client().get("/openapi.json").json))
    return file


@pytest.fixture(scope="session")
def npm_tools() -> Path:
    """The folder of the programs that package-lock.json names."""
    return installed(HERE, "the TypeScript client and Redocly's rules are not tried") / ".bin"


@pytest.fixture
def sent(project: Project, store: Store) -> Iterator[dict[str, Any]]:
    """A message as it arrived, and the secrets that may verify it."""
    rest = Rest(an_app(store, webhooks_allow_local=True).test_client(), project.token())
    with receiving() as receiver:
        hook = Hook(rest, project, Post(store), receiver, events=["document.created"])
        fresh = rest.post(f"{hook.path}/rotate-secret").json["secret"]
        hook.create("Flour & wäter 🍞")
        hook.deliver()
        [(headers, body)] = receiver.requests
    yield {"headers": headers, "body": body.decode(), "secrets": [hook.secret, fresh]}
    store.database.leases.delete_many({})
