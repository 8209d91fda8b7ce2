"""What the generated clients need: the API on a port, its OpenAPI document in a file, and the tools of npm."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.clients.npm import installed
from tests.live import serving

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
