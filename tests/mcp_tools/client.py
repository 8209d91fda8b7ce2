"""MCP as an agent speaks it: messages of both eras, and the SDK's own client on top of the Flask app."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, TypeVar

import httpx2
import mcp_types as t
import orjson
from flask import Flask
from flask.testing import FlaskClient
from jsonschema_rs import Draft202012Validator
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from werkzeug.test import TestResponse

from app.core.vocabulary import ALL_TOOLS, TOOLSETS
from app.features import ALL, OPERATIONS
from mcp_tools.over_stdio import StdioServer
from mcp_tools.tools import tools_of
from tests.make import Token

TOOLS = tools_of(ALL)

T = TypeVar("T")

MODERN, HANDSHAKE = "2026-07-28", "2025-06-18"
ERAS = (MODERN, HANDSHAKE)

SETS = {
    toolset: [operation.name for operation in OPERATIONS if toolset in operation.toolsets]
    for toolset in TOOLSETS
    if toolset != ALL_TOOLS
}
"""The tools of each set."""

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

_ids = count(1)


@dataclass(frozen=True)
class Agent:
    """An agent with a token, that sends messages of one era to the app."""

    client: FlaskClient
    token: Token
    era: str = MODERN
    name: str = "test-agent"
    toolset: str | None = None
    minimal: bool = False

    def post(self, method: str, params: dict[str, Any] | None = None, id: Any = None, **headers: str) -> TestResponse:
        """Sends one request; a header `Mcp_Session_Id` is `Mcp-Session-Id`, an empty one is left out."""
        message, sent = self._message(method, params)
        message["id"] = next(_ids) if id is None else id
        return self.send(message, sent, **headers)

    def send(self, message: Any, sent: dict[str, str] | None = None, **headers: str) -> TestResponse:
        """Sends any message, by default with the headers that go with all."""
        sent = self._headers() if sent is None else sent
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self._send(orjson.dumps(message), sent)

    def _headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.token.secret}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": self.era,
        }

    def _message(self, method: str, params: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, str]]:
        sent = self._headers()
        params = dict(params or {})
        if self.era == MODERN:
            sent |= {"Mcp-Method": method}
            sent |= {"Mcp-Name": str(params[NAMED_BY[method]])} if method in NAMED_BY else {}
            params.setdefault("_meta", self.meta())
        return {"jsonrpc": "2.0", "method": method, "params": params}, sent

    def meta(self) -> dict[str, Any]:
        """Returns what a request of the era says of its client."""
        if self.era != MODERN:
            return {}
        return {
            "io.modelcontextprotocol/protocolVersion": self.era,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
        }

    def post_raw_title(self, escaped: str) -> TestResponse:
        """Begins a draft whose title is written with escapes that no honest client writes."""
        asked = {"name": "create_document_intent", "arguments": {"title": "TITLE"}}
        message, sent = self._message("tools/call", asked)
        return self._send(orjson.dumps({**message, "id": 1}).replace(b"TITLE", escaped.encode()), sent)

    def _send(self, body: bytes, headers: dict[str, str]) -> TestResponse:
        sent = {name: value for name, value in headers.items() if value}
        query = {} if self.toolset is None else {"toolset": self.toolset}
        query |= {"return": "minimal"} if self.minimal else {}
        return self.client.post("/mcp", data=body, headers=sent, query_string=query)

    def ask(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """Sends a message and returns its result."""
        answer = self.post(method, params, **headers)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        result: dict[str, Any] = answer.json["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Calls a tool that succeeds and returns its structured content, which fits the tool's output schema."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result["isError"], result["structuredContent"]
        Draft202012Validator(TOOLS[tool].definition.output_schema).validate(result["structuredContent"])
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Calls a tool that refuses and returns the error's body."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert result["isError"], result
        body: dict[str, Any] = result["structuredContent"]
        return body

    def by(self, token: Token, **changes: Any) -> Agent:
        """The same app, asked with another token."""
        return replace(self, token=token, **changes)


class _Wsgi(httpx2.AsyncBaseTransport):
    """Hands the requests of an asynchronous client to a Flask app, in threads."""

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        response = await asyncio.to_thread(
            self._client.open, request.url.path, method=request.method, data=body, headers=list(request.headers.items())
        )
        return httpx2.Response(response.status_code, headers=list(response.headers.items()), content=response.data)


def with_sdk(app: Flask, token: Token, use: Callable[[Client], Awaitable[T]], *, mode: str = "auto") -> T:
    """Returns what `use` does with the SDK's client, connected to the app."""

    async def main() -> T:
        headers = {"Authorization": f"Bearer {token.secret}"}
        async with httpx2.AsyncClient(transport=_Wsgi(app), headers=headers) as http:
            transport = streamable_http_client("http://localhost/mcp", http_client=http)
            info = t.Implementation(name="sdk-agent", version="1")
            async with Client(transport, client_info=info, mode=mode) as client:
                return await use(client)

    return asyncio.run(main())


GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "desk", "version": "1"}},
}


def over_stdio(app: Any, secret: str, *lines: Any, url: str = "http://localhost/mcp") -> list[dict[str, Any]]:
    """Sends lines over standard input to an application, and returns the answers."""
    written = io.BytesIO()
    headers = {"Authorization": f"Bearer {secret}", "Accept": "application/json", "Content-Type": "application/json"}
    with httpx2.Client(headers=headers, transport=httpx2.WSGITransport(app=app)) as http:
        texts = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
        StdioServer(http, url, written).serve([text + b"\n" for text in texts])
    return [json.loads(line) for line in written.getvalue().splitlines()]
