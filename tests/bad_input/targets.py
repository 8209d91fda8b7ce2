"""The parts of the service that take inputs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from flask import Flask

from app.cli.db import create_missing
from app.core.store.store import Store
from app.features import connect
from tests.bad_input.addresses import AddressTarget
from tests.bad_input.campaign import Figures, Target, run
from tests.bad_input.console import ConsoleTarget
from tests.bad_input.files import ExportedTarget, FrontMatterTarget, PlanTarget
from tests.bad_input.graphql import GraphqlTarget
from tests.bad_input.mcp import McpTarget, StdioTarget
from tests.bad_input.rest import RestTarget
from tests.bad_input.sockets import SocketTarget
from tests.bad_input.texts import MarkdownTarget
from tests.make import an_app
from tests.mcp_tools.servers import a_server

TARGETS: dict[str, Callable[[Flask], Target]] = {
    "rest": RestTarget,
    "graphql": GraphqlTarget,
    "mcp": McpTarget,
    "stdio": StdioTarget,
    "console": ConsoleTarget,
    "markdown": MarkdownTarget,
    "frontmatter": FrontMatterTarget,
    "plans": PlanTarget,
    "exported": ExportedTarget,
    "addresses": AddressTarget,
}
SHARES = dict(zip((*TARGETS, "sockets"), (25, 20, 12, 3, 8, 12, 5, 5, 3, 5, 2), strict=True))
"""How many of a hundred inputs each gets."""


@contextmanager
def database(uri: str) -> Iterator[tuple[Store, Flask]]:
    """Yields a database of the campaign's own, with an application on it."""
    store = connect(uri, f"fuzz_{uuid4().hex[:16]}")
    create_missing(store)
    try:
        yield store, an_app(store)
    finally:
        store.database.client.drop_database(store.database.name)
        store.database.client.close()


def run_target(name: str, uri: str, store: Store, app: Flask, **options: Any) -> Figures:
    """Runs inputs of one target; `options` are those of `campaign.run`."""
    if name != "sockets":
        return run(name, TARGETS[name](app), store, **options)
    with a_server(uri, store.database.name, FAILED_AUTH_LIMIT_PER_MINUTE="0") as url:
        return run(name, SocketTarget(app, url), store, **options)
