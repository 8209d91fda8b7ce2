"""One message of a client over HTTP, and its answer: of the newest protocol revision and of those that shake hands.

The SDK's kernel serves the message. Its own transport over HTTP opens streams and starts tasks for each one, which a
server that keeps no sessions and sends nothing of its own has no use for, and which takes several times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import anyio
import mcp_types as t
import orjson
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    unsupported_protocol_version_rejection,
)
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from mcp_tools.calls import Call

Headers = Mapping[str, str]
"""The headers of a request that the protocol knows, by their names in lower case."""

OLDEST_OVER_HTTP = "2025-03-26"
"""The revision of a client that names none, as the specification has it."""

OF_TRACES = ("traceparent", "tracestate", "baggage")

HTTP = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass(frozen=True)
class Answer:
    """An HTTP status, and the JSON-RPC message that goes with it; a notification is answered with none."""

    status: int
    body: bytes = b""
    client: str | None = None
    """The name of a client that shook hands."""


async def answer_to(server: Server[None], call: Call, body: bytes, headers: Headers) -> Answer:
    """Returns the answer to the message in a request's body."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return refusal(400, t.PARSE_ERROR, f"The body is not valid JSON: {error}.")
    try:
        if isinstance(message, dict) and "id" not in message:
            t.JSONRPCNotification.model_validate(message)
            return _noted(headers)
        request = t.JSONRPCRequest.model_validate(message)
    except ValidationError:
        return refusal(400, t.INVALID_REQUEST, "The body must be one JSON-RPC request or notification.")
    return await _served(server, call, request, message, headers)


def refusal(status: int, code: int, message: str) -> Answer:
    """Returns the answer to what is no request: a JSON-RPC error without an id."""
    return _failed(status, None, t.ErrorData(code=code, message=message))


def _noted(headers: Headers) -> Answer:
    """Returns the answer to a notification: none changes anything here."""
    if not _shakes_hands(headers):
        rejected = unsupported_protocol_version_rejection(headers[MCP_PROTOCOL_VERSION_HEADER])
        if rejected is not None:
            return _failed(400, None, _error_of(rejected))
    return Answer(202)


async def _served(
    server: Server[None], call: Call, request: t.JSONRPCRequest, message: dict[str, Any], headers: Headers
) -> Answer:
    try:
        connection = _connection(message, headers)
        channel = _Channel(request.id, call)
        result = await serve_one(
            server, channel, request.method, _traceable(request.params), connection=connection, lifespan_state=None
        )
    except Exception as error:
        failure = _failure(call, request.method, error)
        status = 200 if _shakes_hands(headers) else ERROR_CODE_HTTP_STATUS.get(failure.code, 200)
        return _failed(status, request.id, failure)
    shook_hands = connection.client_params if request.method == "initialize" else None
    return Answer(
        200,
        orjson.dumps({"jsonrpc": "2.0", "id": request.id, "result": result}),
        shook_hands.client_info.name if shook_hands else None,
    )


def _connection(message: dict[str, Any], headers: Headers) -> Connection:
    """Returns what is known of the client: all that its request says, or the revision that it shook hands on."""
    if _shakes_hands(headers):
        return Connection.from_envelope(headers.get(MCP_PROTOCOL_VERSION_HEADER, OLDEST_OVER_HTTP), None, None)
    route = classify_inbound_request(message, headers=headers)
    if isinstance(route, InboundLadderRejection):
        raise MCPError.from_error_data(_error_of(route))
    return Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)


def _shakes_hands(headers: Headers) -> bool:
    """Tells whether a client speaks a revision with a handshake; one that names no revision does."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _traceable(params: dict[str, Any] | None) -> dict[str, Any] | None:
    """Leaves out what says of a trace that it is no text: OpenTelemetry takes it for one."""
    meta = (params or {}).get("_meta")
    if not isinstance(meta, dict):
        return params
    kept = {key: value for key, value in meta.items() if key not in OF_TRACES or isinstance(value, str)}
    return {**(params or {}), "_meta": kept}


def _failure(call: Call, method: str, error: Exception) -> t.ErrorData:
    """Returns an exception as the protocol has it; a bug of ours is logged, and told by its request's id."""
    known = handler_exception_to_error_data(error)
    if known is not None:
        return known
    bug = call.bug(method)
    return t.ErrorData(code=t.INTERNAL_ERROR, message=bug.message, data=bug.body())


def _error_of(rejected: InboundLadderRejection) -> t.ErrorData:
    return t.ErrorData(code=rejected.code, message=rejected.message, data=rejected.data)


def _failed(status: int, request_id: t.RequestId | None, error: t.ErrorData) -> Answer:
    told = {"jsonrpc": "2.0", "id": request_id, "error": error.model_dump(mode="json", exclude_none=True)}
    return Answer(status, orjson.dumps(told))


class _Channel:
    """The way of one request and its answer, as the SDK's kernel asks for it: nothing else goes over it."""

    transport = HTTP
    can_send_request = False

    def __init__(self, request_id: t.RequestId, call: Call) -> None:
        self.request_id = request_id
        self.message_metadata = ServerMessageMetadata(request_context=call)
        self.cancel_requested = anyio.Event()

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> NoReturn:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Any, opts: Any = None) -> None:
        """Sends nothing: an answer as JSON has no room for it."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Sends nothing."""
