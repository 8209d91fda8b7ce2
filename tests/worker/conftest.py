"""A database of these tests' own: a worker works for all projects, and those of other tests would keep it busy."""

import pytest

from tests.databases import opened
from tests.make import an_app

store = pytest.fixture(scope="package")(opened)
"""A database that nobody else writes to."""

app = pytest.fixture(scope="package")(an_app)
"""The application on it."""
