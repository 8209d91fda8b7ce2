"""The application as tests of HTTP's own rules want it: with limits, proxies and prefixes of their choice."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from app.server import create_app
from app.settings import Settings
from app.store.store import Store

Configured = Callable[..., Flask]


@pytest.fixture
def configured(store: Store) -> Configured:
    """Makes an application with settings of the test's own."""

    def make(store: Store = store, **settings: Any) -> Flask:
        given = {"mongodb_uri": "mongodb://given", "rate_limit": 0, "failed_auth_limit": 0, "log_level": "CRITICAL"}
        return create_app(Settings(**{**given, **settings}), store)

    return make
