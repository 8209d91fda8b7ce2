"""MCP over streamable HTTP, as a view of the Flask app: stateless, JSON answers, any server can answer any call.

Each request is served on the event loop of the thread that Flask gave it, which serves nothing else meanwhile. So there
is no loop thread to start after a fork, no hand-over between threads, and an operation may block: it blocks its own
request alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from flask import Response, g, request
from mcp.server.context import CallNext, HandlerResult
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from app.errors import RateLimited, Refusal
from app.http import bodies
from app.http.bodies import MAX_BODY
from app.http.callers import BEARER, callers
from app.operations.context import Context
from app.settings import Settings
from app.vocabulary import Door, TokenKind
from mcp_tools.calls import Call, Message, name_of
from mcp_tools.server import mcp_server
from mcp_tools.sessions import client_of, session_id

CALL, CLIENT = "content_workflow.call", "content_workflow.client"
"""Where the scope of a request holds who calls, and the name that a client gave in its handshake."""

LOCAL = ("localhost", "127.0.0.1", "[::1]")

Scope = MutableMapping[str, Any]


class HttpDoor:
    """The view, with what it checks addresses by."""

    def __init__(self, settings: Settings) -> None:
        public = urlsplit(settings.public_url).netloc
        named = (*LOCAL, *settings.mcp_allowed_hosts, *([public] if public else []))
        self._any_host = "*" in named
        self._hosts = [form for name in named for form in (name, f"{name}:*")]
        self._server = mcp_server(_call_of)
        self._server.middleware.append(_note_client)
        self._lane = _Lane()

    def view(self) -> Response:
        """Answers one message of a client; the token is checked first, then the address, then the message."""
        who, secret = _who(), _secret()
        agent = client_of(request.headers.get("Mcp-Session-Id", ""), secret)
        scope = _scope(Call(who, g.request_id, agent))
        response = self._lane.loop.run(self._served(scope, bodies.read()))
        if client := scope.get(CLIENT):
            response.headers["Mcp-Session-Id"] = session_id(client, secret)
        if isinstance(who, Refusal):
            response.headers.update(who.headers)
        return response

    async def _served(self, scope: Scope, body: bytes) -> Response:
        manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            max_request_body_size=MAX_BODY,
            security_settings=self._security(),
        )
        exchange = _Exchange(body)
        async with manager.run():
            await manager.asgi_app(scope, exchange.receive, exchange.send)
        return exchange.response

    def _security(self) -> TransportSecuritySettings:
        """Returns which hosts this server goes by, so that no name of somebody else's leads here; and, of all web
        pages, admits those of the very address that they call."""
        origins = [f"{scheme}://{request.host}" for scheme in ("http", "https")]
        hosts = [request.host] if self._any_host else self._hosts
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=hosts, allowed_origins=origins
        )


class _Loop:
    """An event loop that is closed when nobody has it any more."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def run(self, work: Coroutine[Any, Any, Response]) -> Response:
        return self._loop.run_until_complete(work)

    def __del__(self) -> None:
        self._loop.close()


class _Lane(threading.local):
    """The event loop of each thread; it goes with the thread."""

    def __init__(self) -> None:
        self.loop = _Loop()


class _Exchange:
    """One request and its response, as ASGI applications read and write them."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self.response = Response()

    async def receive(self) -> Scope:
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, event: Scope) -> None:
        if event["type"] == "http.response.start":
            headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in event["headers"]]
            self.response = Response(status=event["status"], headers=headers)
        else:
            self.response.data += event.get("body", b"")


def _who() -> Context | Refusal:
    """Returns who calls; refuses as every door does, but tells a known agent in its tool's result to slow down."""
    try:
        return callers().context(TokenKind.MANAGEMENT, Door.MCP)
    except RateLimited as refusal:
        if "caller" not in g:
            raise
        return refusal


def _secret() -> str:
    header = BEARER.fullmatch(request.headers.get("Authorization", ""))
    return header[1] if header else ""


def _scope(call: Call) -> Scope:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "root_path": "",
        "query_string": request.query_string,
        "headers": headers,
        "client": (request.remote_addr, 0),
        "server": None,
        CALL: call,
    }


def _call_of(message: Message) -> Call:
    if message.request is None:
        raise RuntimeError("A message over HTTP came without its request.")
    call: Call = message.request.scope[CALL]
    return call


async def _note_client(ctx: Message, call_next: CallNext) -> HandlerResult:
    """Notes the name of a client that shakes hands, for the session id that the answer gives it."""
    result = await call_next(ctx)
    if ctx.method == "initialize" and ctx.request is not None:
        ctx.request.scope[CLIENT] = name_of((ctx.params or {})["clientInfo"]["name"])
    return result
