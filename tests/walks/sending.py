"""A call of an operation, sent over REST and over MCP."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.operation import Operation
from app.core.vocabulary import Kind
from app.features import ALL
from app.rest.api import served
from app.rest.route import Route
from tests.make import Token
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest
from tests.valid_calls import Call

SERVED = served(ALL)

OF_PERSONS = {"invite_member"}
"""The operations that nobody may call over MCP, whatever the scopes (decisions, section 13)."""
OPERATIONS: Mapping[str, Operation] = {one.name: one for one in ALL.operations}


def routes_of(name: str) -> list[Route]:
    """Returns the routes of an operation: one, or one for each kind of draft, that of documents first; none for MCP's
    own."""
    served = (route for route in SERVED if route.operation.name == name)
    return sorted(served, key=lambda route: route.kind != Kind.DOCUMENT)


def over_rest(
    client: FlaskClient,
    token: Token,
    route: Route,
    call: Call,
    *,
    dry_run: bool = False,
    query: str = "",
    **headers: str,
) -> TestResponse:
    """Sends a call to a route of its operation, with a query where it writes."""
    ids = iter(call.ids)
    path = re.sub(r"<\w+>", lambda _: next(ids), route.path) + (query or "?dryRun=true" * dry_run)
    rest = Rest(client, token)
    if not route.operation.reads:
        return rest.call(route.method, path, call.fields or None, **headers)
    asked = urlencode({name: _in_query(value) for name, value in call.fields.items()})
    return rest.call(route.method, f"{path}?{asked}" if asked else path, **headers)


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)


def over_mcp(client: FlaskClient, token: Token, name: str, call: Call, **more: Any) -> TestResponse:
    """Sends a call of an operation's tool."""
    return Agent(client, token).post("tools/call", tool_call(name, call, **more), id=1)


def tool_call(name: str, call: Call, **more: Any) -> dict[str, Any]:
    """Returns the parameters of a call of an operation's tool."""
    path = OPERATIONS[name].id_names
    ids = {key: int(one) if key in ("version", "number") else one for key, one in zip(path, call.ids, strict=True)}
    return {"name": name, "arguments": {**ids, **call.fields, **more}}
