"""MCP over standard input and output, on the database itself."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import mcp_types as t
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from app.errors import Refusal
from app.operations.access import Access
from app.operations.context import Context, this_instant
from app.store.store import Store
from app.vocabulary import Channel, TokenKind
from mcp_tools.calls import NO_MESSAGE, Call, Message
from mcp_tools.server import mcp_server

Asked = MemoryObjectReceiveStream[SessionMessage | Exception]
Answered = MemoryObjectSendStream[SessionMessage]


def context_of(store: Store, access: Access, secret: str, webhooks_allow_local: bool = False) -> Context:
    """Returns the context of a call with a token. Refuses with `Unauthorized`."""
    now = this_instant()
    caller = access.authenticate(secret, TokenKind.MANAGEMENT, now)
    return Context(store, caller, Channel.MCP, now, webhooks_allow_local=webhooks_allow_local)


async def serve(store: Store, access: Access, secret: str, webhooks_allow_local: bool = False) -> None:
    """Serves one client on the database; the token is checked again on each call, as it may be revoked."""

    def who(message: Message) -> Call:
        request_id = secrets.token_hex(16)
        try:
            return Call(context_of(store, access, secret, webhooks_allow_local), request_id)
        except Refusal as refusal:
            return Call(refusal, request_id)

    server = mcp_server(who)
    async with stdio_server() as (incoming, outgoing), _to_the_last_answer(incoming, outgoing) as (asked, answered):
        await server.run(asked, answered, server.create_initialization_options())


@asynccontextmanager
async def _to_the_last_answer(incoming: Asked, outgoing: Answered) -> AsyncIterator[tuple[Asked, Answered]]:
    """Yields the streams of a client, the first of which ends when all that was asked is answered.

    The SDK drops what it is working on when its client has nothing more to say, as at the end of a pipe: what was
    written then is written, and the client would not know.
    """
    unanswered: set[t.RequestId] = set()
    changed = anyio.Condition()

    async def take(asked: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with asked:
            async for item in incoming:
                if isinstance(item, Exception):
                    await outgoing.send(NO_MESSAGE)
                    continue
                message = item.message
                if isinstance(message, t.JSONRPCRequest):
                    unanswered.add(message.id)
                elif isinstance(message, t.JSONRPCNotification) and message.method == "notifications/cancelled":
                    unanswered.discard((message.params or {}).get("requestId", ""))
                await asked.send(item)
            async with changed:
                while unanswered:
                    await changed.wait()

    async def give(answered: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with answered, outgoing:
            async for item in answered:
                await outgoing.send(item)
                if isinstance(item.message, t.JSONRPCResponse | t.JSONRPCError):
                    async with changed:
                        unanswered.discard(item.message.id or "")
                        changed.notify()

    to_server, asked = anyio.create_memory_object_stream[SessionMessage | Exception]()
    to_client, answered = anyio.create_memory_object_stream[SessionMessage]()
    async with anyio.create_task_group() as pumps:
        pumps.start_soon(take, to_server)
        pumps.start_soon(give, answered)
        yield asked, to_client
