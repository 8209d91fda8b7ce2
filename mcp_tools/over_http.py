"""MCP over streamable HTTP, as a view of the Flask app: stateless, JSON answers, any server can answer any call.

Each request is served on the event loop of the thread that Flask gave it, which serves nothing else meanwhile. So there
is no loop thread to start after a fork, no hand-over between threads, and an operation may block: it blocks its own
request alone.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Coroutine
from typing import Any

import mcp_types as t
from flask import Response, g, request
from mcp.shared.inbound import MCP_METHOD_HEADER, MCP_NAME_HEADER, MCP_PROTOCOL_VERSION_HEADER

from app.errors import RateLimited, Refusal
from app.http import bodies
from app.http.callers import bearer_secret, callers
from app.operations.context import Context
from app.settings import Settings
from app.vocabulary import Channel, TokenKind
from mcp_tools.addresses import Addresses, is_of
from mcp_tools.calls import Call, Message, name_of
from mcp_tools.exchange import Answer, Headers, answer_to, refusal
from mcp_tools.server import mcp_server
from mcp_tools.sessions import client_of, session_id

JSON = "application/json"
ACCEPTED = (JSON, "application/*", "*/*")
KNOWN_HEADERS = (MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER)

SMALL = 1024 * 1024
"""How long a message may be that is read only to say in its answer that its token calls too often."""


class McpView:
    """The view, with what it checks addresses by."""

    def __init__(self, settings: Settings) -> None:
        self._addresses = Addresses(settings.public_url, settings.mcp_allowed_hosts)
        self._server = mcp_server(_call_of)
        self._lane = _Lane()

    def view(self) -> Response:
        """Answers one message of a client; the token is checked first, then the address, then the message."""
        who, secret = _who(), bearer_secret()
        if isinstance(who, Refusal) and (request.content_length is None or request.content_length > SMALL):
            raise who
        answer = self._refused() or _unreadable() or self._answer(Call(who, g.request_id, _agent(secret)))
        response = Response(answer.body, answer.status, content_type=JSON)
        if not answer.body:
            del response.headers["Content-Type"]
        if answer.client and (client := name_of(answer.client)):
            response.headers["Mcp-Session-Id"] = session_id(client, secret)
        if isinstance(who, Refusal):
            response.headers.update(who.headers)
        return response

    def _answer(self, call: Call) -> Answer:
        return self._lane.loop.run(answer_to(self._server, call, bodies.read(), _known_headers()))

    def _refused(self) -> Answer | None:
        """Refuses a name that is not this server's, so that nobody else's leads here, and every web page but those of
        the very address that they call."""
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if not self._addresses.include(host):
            return refusal(421, t.INVALID_REQUEST, f"This server does not go by {host!r}: see MCP_ALLOWED_HOSTS.")
        if origin and not is_of(origin, host):
            return refusal(403, t.INVALID_REQUEST, f"Pages of {origin!r} may not call this server.")
        return None


class _Selector(selectors.DefaultSelector):
    """Looks for input when there is nothing else to do alone, and no call has that.

    Each look would have the request wait for the other threads once more, which takes longer than the rest of the loop.
    """

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return [] if timeout == 0 else super().select(timeout)


class _Loop:
    """An event loop that is closed when nobody has it any more."""

    def __init__(self) -> None:
        self._loop = asyncio.SelectorEventLoop(_Selector())

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return self._loop.run_until_complete(work)

    def __del__(self) -> None:
        self._loop.close()


class _Lane(threading.local):
    """The event loop of each thread; it goes with the thread."""

    def __init__(self) -> None:
        self.loop = _Loop()


def _who() -> Context | Refusal:
    """Returns who calls; refuses as every door does, but tells a known agent in its tool's result to slow down."""
    try:
        return callers().context(TokenKind.MANAGEMENT, Channel.MCP)
    except RateLimited as refusal:
        if "caller" not in g:
            raise
        return refusal


def _agent(secret: str) -> str:
    return client_of(request.headers.get("Mcp-Session-Id", ""), secret)


def _unreadable() -> Answer | None:
    """Refuses a body that says it is not JSON, and a client that could not read the answer."""
    if request.mimetype != JSON:
        return refusal(400, t.INVALID_REQUEST, f"Send the message with `Content-Type: {JSON}`.")
    accepted = (part.partition(";")[0].strip() for part in request.headers.get("Accept", "").lower().split(","))
    if not any(part in ACCEPTED for part in accepted):
        return refusal(406, t.INVALID_REQUEST, f"Answers are JSON: send `Accept: {JSON}, text/event-stream`.")
    return None


def _known_headers() -> Headers:
    return {name: value for name in KNOWN_HEADERS if (value := request.headers.get(name)) is not None}


def _call_of(message: Message) -> Call:
    if not isinstance(message.request, Call):
        raise RuntimeError("A message over HTTP came without its call.")
    return message.request
