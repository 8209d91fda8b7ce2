"""MCP over standard input and output, handed on to a service elsewhere."""

from __future__ import annotations

import logging

import anyio
import httpx2
import mcp_types as t
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp.shared.message import SessionMessage

from mcp_tools.calls import NO_MESSAGE

log = logging.getLogger("content_workflow.mcp")

JSON = "application/json"

PATIENCE = 60.0
"""Seconds to wait for an answer of a service elsewhere."""


async def relay(url: str, secret: str) -> None:
    """Hands a client's messages on to the service at a URL, and its answers back, until the client is gone."""
    headers = {"Authorization": f"Bearer {secret}", "Accept": JSON, "Content-Type": JSON}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http, stdio_server() as (incoming, outgoing):
        service = _Service(url, http)

        async def hand_on(message: t.JSONRPCMessage) -> None:
            if (answer := await service.ask(message)) is not None:
                await outgoing.send(SessionMessage(answer))

        async with outgoing, anyio.create_task_group() as messages:
            async for item in incoming:
                if isinstance(item, Exception):
                    await outgoing.send(NO_MESSAGE)
                elif isinstance(item.message, t.JSONRPCRequest) and item.message.method != "initialize":
                    messages.start_soon(hand_on, item.message)
                else:
                    await hand_on(item.message)


class _Service:
    """The service elsewhere: each message is a request of its own, and no failure of one is another's."""

    def __init__(self, url: str, http: httpx2.AsyncClient) -> None:
        self._url = url
        self._http = http
        self._agreed: dict[str, str] = {}
        """What the handshake agreed on, sent with every message after it."""

    async def ask(self, message: t.JSONRPCMessage) -> t.JSONRPCMessage | None:
        """Returns the service's answer to a message, an error in its place, or None where none is due."""
        asked = message.id if isinstance(message, t.JSONRPCRequest) else None
        body = message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            response = await self._http.post(self._url, content=body, headers={**self._agreed, **_headers(message)})
        except httpx2.HTTPError as error:
            return _failed(asked, f"{self._url} can't be reached: {error or type(error).__name__}.")
        if asked is None:
            return None
        answer = _message(response)
        if answer is None or (isinstance(answer, t.JSONRPCError) and answer.id is None):
            why = answer.error.message if answer else response.text[:500]
            return _failed(asked, f"{self._url} answered {response.status_code}: {why}")
        if isinstance(message, t.JSONRPCRequest) and message.method == "initialize":
            self._agree(answer, response.headers)
        return answer

    def _agree(self, answer: t.JSONRPCMessage, headers: httpx2.Headers) -> None:
        if isinstance(answer, t.JSONRPCResponse):
            self._agreed[MCP_PROTOCOL_VERSION_HEADER] = str(answer.result.get("protocolVersion"))
        if session := headers.get("Mcp-Session-Id"):
            self._agreed["Mcp-Session-Id"] = session


def _message(response: httpx2.Response) -> t.JSONRPCMessage | None:
    """Returns the message that a response carries; None when it carries none, as a 401 does not."""
    try:
        return t.jsonrpc_message_adapter.validate_json(response.content, by_name=False)
    except ValueError:
        return None


def _failed(asked: t.RequestId | None, why: str) -> t.JSONRPCError | None:
    log.error(why)
    error = t.ErrorData(code=t.INTERNAL_ERROR, message=why)
    return None if asked is None else t.JSONRPCError(jsonrpc="2.0", id=asked, error=error)


def _headers(message: t.JSONRPCMessage) -> dict[str, str]:
    """Returns the headers that a message of the newest revision goes with: what it is about."""
    if not isinstance(message, t.JSONRPCRequest):
        return {}
    params = message.params or {}
    revision = (params.get("_meta") or {}).get(t.PROTOCOL_VERSION_META_KEY)
    if revision is None:
        return {}
    headers = {MCP_PROTOCOL_VERSION_HEADER: str(revision), MCP_METHOD_HEADER: message.method}
    if about := NAME_BEARING_METHODS.get(message.method):
        headers[MCP_NAME_HEADER] = encode_header_value(str(params.get(about)))
    return headers
