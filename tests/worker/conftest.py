"""A database of these tests' own: a worker works for all projects, and those of other tests would keep it busy."""

import logging

import pytest

from tests.databases import opened
from tests.make import an_app

store = pytest.fixture(scope="package")(opened)
"""A database that nobody else writes to."""

app = pytest.fixture(scope="package")(an_app)
"""The application on it."""


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What the worker logs as a warning or an error, whichever application was made before."""
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("WARNING", "content_workflow.worker")
    return caplog
