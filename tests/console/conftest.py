"""People of a project in front of the console."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from pymongo import MongoClient
from selenium import webdriver

from app.core.store.store import CODEC, Store
from app.core.vocabulary import Scope
from app.features import ALL
from app.http.callers import WAITING
from tests.console.browser import Window
from tests.console.visitor import Visitor
from tests.listener import Commands
from tests.live import serving, until
from tests.make import Project, an_app, an_uncached_app


@pytest.fixture
def editor(app: Flask, project: Project) -> Visitor:
    """Somebody who is signed in and may do everything."""
    visitor = Visitor(app)
    visitor.sign_in(project.token("Ingrid"))
    return visitor


@pytest.fixture
def reader(app: Flask, project: Project) -> Visitor:
    """Somebody who is signed in and may only read."""
    visitor = Visitor(app)
    visitor.sign_in(project.token("A reader", scopes=[Scope.READ]))
    return visitor


uncached = pytest.fixture(scope="module")(an_uncached_app)
"""A server that looks tokens and sessions up on each request."""


@pytest.fixture
def watched(mongodb_uri: str, store: Store) -> Iterator[tuple[Flask, Commands]]:
    """A server on the same database whose commands are noted; it looks callers up on every request."""
    commands = Commands()
    client: MongoClient[Any] = MongoClient(mongodb_uri, event_listeners=[commands])
    database = client.get_database(store.database.name, codec_options=CODEC)

    yield an_uncached_app(Store(database, deadline_seconds=10, features=ALL)), commands
    client.close()


served = pytest.fixture(scope="module")(an_app)
"""The application that the browser is shown."""


@pytest.fixture(scope="module")
def base(served: Flask) -> Iterator[str]:
    """The address of a server."""
    with pytest.MonkeyPatch.context() as patch, serving(served) as address:
        patch.setattr("app.events.pages.WAIT_SECONDS", 2)
        yield address
    until(lambda: not WAITING._held)


@pytest.fixture
def window(chrome: webdriver.Chrome, base: str) -> Iterator[Window]:
    """The browser, which all tests share: tabs that a test leaves open are closed after it."""
    yield Window(chrome, base)
    first, *others = chrome.window_handles
    for tab in others:
        chrome.switch_to.window(tab)
        chrome.close()
    chrome.switch_to.window(first)
