"""What the clients of the delivery API need: a site with two articles, and npm's packages."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
    """The folder of the packages that package-lock.json names, installed where they are not yet.

    Without npm the test is skipped; CI has to have it.
    """
    npm = shutil.which("npm")
    if npm is None:
        missing = "npm was not found: the audit and the TypeScript clients are not tried. Install Node.js 20."
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    installed = HERE / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < (HERE / "package-lock.json").stat().st_mtime:
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=HERE, check=True, capture_output=True)
    return HERE / "node_modules"
