"""What all tests share: a real mongod for the session, a fresh project for each test, and clients of the interfaces.

Everything is scoped to a project, so a fresh project is a clean slate; a test that looks across projects asks for
`fresh_store`. With CONTENT_WORKFLOW_TEST_STORE=mongomock (`make test-fast`) the store is in memory, and tests marked
`needs_mongod` are left out.
"""

import gc
import logging
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from pymongo import monitoring

from app.core.operation import Operation
from tests.contract.rows import CONTRACT
from tests.databases import drop_idle, opened, without
from tests.documented import Documented, DocumentedRest
from tests.make import Project, a_project, an_app
from tests.mongod import quick_mongod
from tests.rest.client import Rest
from tests.router import OF_THE_SESSION

CHECKOUT = Path(__file__).parents[1]
OF_THE_CONTRACT = {row.id for row in CONTRACT}
DECIDED = [f"decided-{name}" for name in ("projects", "http", "intents", "documents", "briefs", "delivery", "mcp")]

monitoring.register(OF_THE_SESSION)  # before any client is made

for _name in ("NO_PROXY", "no_proxy"):  # a proxy that the environment names is for the internet alone
    os.environ[_name] = ",".join(filter(None, (os.environ.get(_name), "127.0.0.1,localhost,0.0.0.0")))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps what collecting creates out of all searches for garbage: it stays until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Has long tests begin first: one that began last would keep one process busy, and the others idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    if items and items[0].config.getoption("without"):
        items[:] = [item for item in items if is_of_the_contract(item)]


def is_of_the_contract(item: pytest.Item) -> bool:
    """Returns whether all that a test proves stands in service.md, or in the decisions about it: sections 1 to 8.

    A test of each operation or route has to do with none of a feature that is left out.
    """
    features = without(item.config.getoption("without"))
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    operations = (getattr(one, "operation", one) for one in given)
    if any(isinstance(one, Operation) and one.name not in features.by_name for one in operations):
        return False
    rows = [row for mark in item.iter_markers("contract") for row in mark.args]
    return bool(rows) and all(row in OF_THE_CONTRACT or row.partition(".")[0] in DECIDED for row in rows)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--without",
        help="run the contract's own tests on an application without some features: `review`, `checks,guards` or `all`",
    )
    parser.addoption("--rounds", type=int, default=1, help="how many times to run each test of tests/races")


@pytest.fixture(scope="session")
def mongodb_uri() -> Iterator[str]:
    """A real MongoDB replica set: MONGODB_URI, else one of our own that the test processes share."""
    if given := os.environ.get("MONGODB_URI"):
        yield given
        drop_idle(given)
    else:
        with quick_mongod(CHECKOUT / ".mongod" / "tests") as uri:
            yield uri


@pytest.fixture(autouse=True)
def router() -> Iterator[None]:
    """Fails a test in which the application sent a command that a sharded cluster would refuse or send everywhere."""
    yield
    found = OF_THE_SESSION.take()
    assert not found, "A sharded cluster would refuse or scatter this (tests/router.py):\n" + "\n".join(found)


store = pytest.fixture(scope="session")(opened)
"""A database that the session's tests share, each with projects of its own."""

fresh_store = pytest.fixture(opened)
"""A database of the test's own."""

project = pytest.fixture(a_project)
"""A project of the test's own."""

app = pytest.fixture(scope="session")(an_app)
"""The application on the shared database; no limits on how often a test may call."""


@pytest.fixture
def rest(app: Flask, project: Project) -> Rest:
    """The management API, called with a token that may do everything."""
    return Rest(app.test_client(), project.token())


@pytest.fixture(scope="session")
def documented(app: Flask) -> Documented:
    """What the OpenAPI document says of every answer."""
    return Documented(app.test_client().get("/openapi.json").json)


@pytest.fixture
def api(app: Flask, project: Project, documented: Documented) -> DocumentedRest:
    """The management API, called with a token that may do everything; every answer is as documented."""
    return DocumentedRest(app.test_client(), project.token("A script"), documented)


@pytest.fixture(scope="session")
def session_chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from tests.console.browser import chromium  # selenium takes half a second, which few tests need

    with chromium(tmp_path_factory.mktemp("chrome")) as started:
        yield started


@pytest.fixture
def chrome(session_chrome: Any) -> Iterator[Any]:
    """The headless Chromium of the session, left by each test as it was found."""
    yield session_chrome
    session_chrome.get("about:blank")  # a page would go on waiting for changes
    session_chrome.execute_cdp_cmd("Network.clearBrowserCookies", {})
    session_chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    session_chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    session_chrome.get_log("browser")


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """What the worker logs as a warning or an error, whichever application was made before."""
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("WARNING", "content_workflow.worker")
    return caplog
