"""MCP over standard input and output: on the database itself, or handed on to a service elsewhere."""

from __future__ import annotations

import logging
import secrets

import anyio
import httpx2
import mcp_types as t
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage

from app.errors import Refusal
from app.operations.access import Access
from app.operations.context import Context, this_instant
from app.store.store import Store
from app.vocabulary import Door, TokenKind
from mcp_tools.calls import Call, Message
from mcp_tools.server import mcp_server

log = logging.getLogger("content_workflow.mcp")

PATIENCE = 60.0
"""Seconds to wait for an answer of a service elsewhere."""


def context_of(store: Store, access: Access, secret: str, webhooks_allow_local: bool = False) -> Context:
    """Returns the context of a call with a token. Refuses with `Unauthorized`."""
    now = this_instant()
    caller = access.authenticate(secret, TokenKind.MANAGEMENT, now)
    return Context(store, caller, Door.MCP, now, webhooks_allow_local=webhooks_allow_local)


async def serve(store: Store, access: Access, secret: str, webhooks_allow_local: bool = False) -> None:
    """Serves one client on the database; the token is checked again on each call, as it may be revoked."""

    def who(message: Message) -> Call:
        request_id = secrets.token_hex(16)
        try:
            return Call(context_of(store, access, secret, webhooks_allow_local), request_id)
        except Refusal as refusal:
            return Call(refusal, request_id)

    server = mcp_server(who)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def relay(url: str, secret: str) -> None:
    """Hands a client's messages on to the service at a URL, and its answers back, until the client is gone."""
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE)
    async with http, streamable_http_client(url, http_client=http) as (answers, questions), stdio_server() as client:
        incoming, outgoing = client
        handshakes: set[t.RequestId] = set()
        unanswered: set[t.RequestId] = set()
        revision: str | None = None
        gone = False

        async def back() -> None:
            nonlocal revision
            async for item in answers:
                if isinstance(item, Exception):
                    log.error("relay", exc_info=item)
                    continue
                if isinstance(item.message, t.JSONRPCResponse) and item.message.id in handshakes:
                    revision = item.message.result.get("protocolVersion")
                await outgoing.send(SessionMessage(item.message))
                if isinstance(item.message, t.JSONRPCResponse | t.JSONRPCError) and item.message.id is not None:
                    unanswered.discard(item.message.id)
                if gone and not unanswered:
                    both.cancel_scope.cancel()

        async with anyio.create_task_group() as both:
            both.start_soon(back)
            async for item in incoming:
                if isinstance(item, Exception):
                    log.error("not a message", exc_info=item)
                    continue
                if isinstance(item.message, t.JSONRPCRequest):
                    unanswered.add(item.message.id)
                    handshakes |= {item.message.id} if item.message.method == "initialize" else set()
                await questions.send(SessionMessage(item.message, _stamp(item.message, revision)))
            gone = True
            if not unanswered:
                both.cancel_scope.cancel()


def _stamp(message: t.JSONRPCMessage, revision: str | None) -> ClientMessageMetadata | None:
    """Returns the headers that a message goes with over HTTP: its revision, and in the newest what it is about."""
    if not isinstance(message, t.JSONRPCRequest | t.JSONRPCNotification) or message.method == "initialize":
        return None
    params = message.params or {}
    own = (params.get("_meta") or {}).get(t.PROTOCOL_VERSION_META_KEY)
    if own is None:
        return ClientMessageMetadata(headers={MCP_PROTOCOL_VERSION_HEADER: revision}) if revision else None
    headers = {MCP_PROTOCOL_VERSION_HEADER: own, MCP_METHOD_HEADER: message.method}
    if about := NAME_BEARING_METHODS.get(message.method):
        headers[MCP_NAME_HEADER] = encode_header_value(str(params.get(about)))
    return ClientMessageMetadata(headers=headers)
