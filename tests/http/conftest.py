"""The application as tests of HTTP's own rules want it: with limits, proxies and prefixes of their choice."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.store.store import Store
from tests.make import an_app

Configured = Callable[..., Flask]


@pytest.fixture
def configured(store: Store) -> Configured:
    """Makes an application with settings of the test's own."""

    def make(store: Store = store, **settings: Any) -> Flask:
        return an_app(store, **settings)

    return make


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Calls without a token."""
    return app.test_client()
