"""Messages over standard input that are not JSON-RPC's, or too long: an invalid request each, and no bug of ours."""

import io
import json
from typing import Any

import httpx2
import pytest
from flask import Flask

from mcp_tools.over_stdio import StdioServer
from tests.make import Project

pytestmark = pytest.mark.needs_mongod

META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
NEWEST: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
NOT_JSON_RPC: dict[str, tuple[Any, Any]] = {
    "a method that is no text": ({"jsonrpc": "2.0", "id": 7, "method": ["ping"]}, 7),
    "parameters that are no object": ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}, "a"),
    "another version": ({"jsonrpc": "20", "id": 7, "method": "ping"}, 7),
    "no method": ({"jsonrpc": "2.0", "id": 7}, 7),
    "an id that is an object": ({"jsonrpc": "2.0", "id": {"a": [1]}, "method": "ping"}, None),
    "an id that is a fraction": ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
    "an id that is true": ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
    "a name that is too long for the header that repeats it": ({**NEWEST, "params": {**META, "name": "é" * 9_000}}, 7),
}


@pytest.mark.parametrize("what", NOT_JSON_RPC)
def test_over_stdio_what_is_not_json_rpc_is_an_invalid_request_and_no_bug(
    app: Flask, project: Project, what: str
) -> None:
    message, id = NOT_JSON_RPC[what]

    answer = _over_stdio(app, project, message)

    assert (answer["id"], answer["error"]["code"]) == (id, -32600)


def test_over_stdio_a_message_that_is_too_long_is_an_invalid_request_and_no_bug(app: Flask, project: Project) -> None:
    answer = _over_stdio(app, project, {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "x" * 20_971_520}})

    assert (answer["id"], answer["error"]["code"]) == (7, -32600)
    assert "20 MB" in answer["error"]["message"]


def _over_stdio(app: Flask, project: Project, message: Any) -> Any:
    headers = {"Authorization": f"Bearer {project.token().secret}", "Accept": "application/json"}
    with httpx2.Client(
        headers=headers | {"Content-Type": "application/json"}, transport=httpx2.WSGITransport(app=app)
    ) as http:
        written = io.BytesIO()
        StdioServer(http, "http://localhost/mcp", written).serve([json.dumps(message).encode()])
    return json.loads(written.getvalue())
