"""What the generated clients need: the API on a port, its OpenAPI document in a file, and the tools of npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

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
    """The folder of the programs that package-lock.json names, installed where they are not yet.

    Without npm the test is skipped; CI has to have it.
    """
    npm = shutil.which("npm")
    if npm is None:
        missing = "npm was not found: the TypeScript client and Redocly's rules are not tried. Install Node.js 20."
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    installed = HERE / "node_modules" / ".package-lock.json"
    lock = HERE / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True, capture_output=True)
    return HERE / "node_modules" / ".bin"
