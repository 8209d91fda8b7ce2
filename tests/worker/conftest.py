"""A database of these tests' own: a worker works for all projects, and those of other tests would keep it busy."""

import logging
from collections.abc import Iterator

import pytest
from flask import Flask

from app.core.store.store import Store
from tests.databases import opened
from tests.make import an_app


@pytest.fixture(scope="package")
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A database that nobody else writes to."""
    yield from opened(request)


@pytest.fixture(scope="package")
def app(store: Store) -> Flask:
    """The application on it."""
    return an_app(store)


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What the worker logs as a warning or an error, whichever application was made before."""
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("WARNING", "content_workflow.worker")
    return caplog
