"""Bad inputs that were found, and what has to become of each."""

from __future__ import annotations

import io
import json
from typing import Any

import httpx2
import pytest
from flask import Flask

from mcp_tools.over_stdio import StdioServer
from tests.console.visitor import Visitor
from tests.make import Project

pytestmark = pytest.mark.needs_mongod

NOT_JSON_RPC: dict[str, tuple[Any, Any]] = {
    "a method that is no text": ({"jsonrpc": "2.0", "id": 7, "method": ["ping"]}, 7),
    "parameters that are no object": ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}, "a"),
    "another version": ({"jsonrpc": "20", "id": 7, "method": "ping"}, 7),
    "no method": ({"jsonrpc": "2.0", "id": 7}, 7),
    "an id that is an object": ({"jsonrpc": "2.0", "id": {"a": [1]}, "method": "ping"}, None),
    "an id that is a fraction": ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
    "an id that is true": ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
}


@pytest.mark.parametrize("what", NOT_JSON_RPC)
def test_over_stdio_what_is_not_json_rpc_is_an_invalid_request_and_no_bug(
    app: Flask, project: Project, what: str
) -> None:
    message, id = NOT_JSON_RPC[what]
    headers = {"Authorization": f"Bearer {project.token().secret}", "Accept": "application/json"}
    with httpx2.Client(
        headers=headers | {"Content-Type": "application/json"}, transport=httpx2.WSGITransport(app=app)
    ) as http:
        written = io.BytesIO()
        StdioServer(http, "http://localhost/mcp", written).serve([json.dumps(message).encode()])

    answer = json.loads(written.getvalue())
    assert (answer["id"], answer["error"]["code"]) == (id, -32600)


@pytest.mark.parametrize(
    "origin", ["http://[", "http://]", "//[::1", "http://[v1.x]:80", "null", "", "http://localhost:x"]
)
def test_an_origin_that_is_no_address_is_another_site_to_the_console(app: Flask, project: Project, origin: str) -> None:
    visitor = Visitor(app)
    visitor.sign_in(project.token())

    response = visitor.client.post("/console/plan", data={"_csrf": visitor.csrf}, headers={"Origin": origin})

    assert response.status_code == 403
