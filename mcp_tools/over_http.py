"""MCP over streamable HTTP, as a view of the Flask app: stateless, JSON responses, any server can serve any call.

The SDK's `serve_one` serves each message on the event loop of the thread that Flask gave the request, which serves
nothing else meanwhile: an operation that blocks, blocks its own request alone. The SDK's own HTTP transport opens
streams and starts tasks for each message, which takes several times as long and serves a server that pushes.
"""

import asyncio
import selectors
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

import anyio
import mcp_types as t
import orjson
from flask import Response, request
from mcp.server.connection import Connection
from mcp.server.runner import serve_one
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
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
from rapidfuzz.distance import OSA

from app.errors import RateLimited, Refusal
from app.http import bodies
from app.http.callers import callers
from app.http.credentials import bearer_secret
from app.http.hosts import HostNames, is_same_origin
from app.http.json import MAX_VALUES, too_many_values
from app.http.requests import CALLER, current_request_id
from app.operations.context import Context
from app.settings import Settings
from app.vocabulary import Channel
from mcp_tools.server import Call, mcp_server, printable_name
from mcp_tools.sessions import SESSION_HEADER, client_name, session_id
from mcp_tools.toolsets import ALL, NAMES

JSON = "application/json"
ACCEPTED = (JSON, "application/*", "*/*")
TOOLSET = "toolset"
PROTOCOL_HEADERS = (MCP_PROTOCOL_VERSION_HEADER, MCP_METHOD_HEADER, MCP_NAME_HEADER)
TRACE_KEYS = ("traceparent", "tracestate", "baggage")

OLDEST_OVER_HTTP = "2025-03-26"
"""The revision of a client that names none, as the specification has it."""

SMALL = 1024 * 1024
"""The longest message that is read when its token calls too often, to respond with its id."""

HTTP = TransportContext(kind="streamable-http", can_send_request=False)

Headers = Mapping[str, str]
"""The headers of a request that the protocol defines, by their names in lower case."""


class McpView:
    """The view of `/mcp`."""

    def __init__(self, settings: Settings) -> None:
        self._names = HostNames(settings.public_url, settings.mcp_allowed_hosts)
        self._server = mcp_server()
        self._local = _PerThread()

    def view(self) -> Response:
        """Responds to one message of a client; checks the token first, then the address, then the message."""
        found = _context_or_refusal()
        if isinstance(found, Refusal) and (request.content_length is None or request.content_length > SMALL):
            raise found
        response = (
            self._refused_address() or _refused_request() or self._local.loop.run_until_complete(self._answer(found))
        )
        if isinstance(found, Refusal):
            response.headers.update(found.headers)
        return response

    def _refused_address(self) -> Response | None:
        """Refuses a host name that is not this server's, and web pages of any other origin."""
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        if not self._names.include(host):
            return _refusal(421, t.INVALID_REQUEST, f"The host {host!r} is not allowed: see MCP_ALLOWED_HOSTS.")
        if origin and not is_same_origin(origin, host):
            return _refusal(403, t.INVALID_REQUEST, f"Pages of {origin!r} may not call this server.")
        return None

    async def _answer(self, context_or_refusal: Context | Refusal) -> Response:
        """Responds to the message in the request's body."""
        body = bodies.read()
        if too_many_values(body):
            return _refusal(400, t.INVALID_REQUEST, f"The body must have at most {MAX_VALUES:,} values.")
        try:
            message = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            return _refusal(400, t.PARSE_ERROR, f"The body is not valid JSON: {error}.")
        headers = {name: value for name in PROTOCOL_HEADERS if (value := request.headers.get(name)) is not None}
        try:
            if isinstance(message, dict) and "id" not in message:
                t.JSONRPCNotification.model_validate(message)
                return _accepted(headers)
            rpc = t.JSONRPCRequest.model_validate(message)
        except ValidationError:
            return _refusal(400, t.INVALID_REQUEST, "The body must be one JSON-RPC request or notification.")
        agent = client_name(request.headers.get(SESSION_HEADER, ""), bearer_secret())
        return await self._served(
            Call(context_or_refusal, current_request_id(), agent, _toolset()), rpc, message, headers
        )

    async def _served(self, call: Call, rpc: t.JSONRPCRequest, message: dict[str, Any], headers: Headers) -> Response:
        try:
            connection = _connection(message, headers)
            exchange, params = _Exchange(rpc.id, call), _with_traces_of_text(rpc.params)
            result = await serve_one(
                self._server, exchange, rpc.method, params, connection=connection, lifespan_state=None
            )
        except Exception as error:
            failure = _error_data(call, rpc.method, error)
            status = 200 if _has_handshake(headers) else ERROR_CODE_HTTP_STATUS.get(failure.code, 200)
            return _error(status, rpc.id, failure)
        response = _json(200, {"jsonrpc": "2.0", "id": rpc.id, "result": result})
        client = connection.client_params if rpc.method == "initialize" else None
        if client:
            name = printable_name(client.client_info.name)
            response.headers.update({SESSION_HEADER: session_id(name, bearer_secret())} if name else {})
        return response


class _Selector(selectors.DefaultSelector):
    """A selector that does not look for input while there is other work, as no call has input.

    Each look makes the request wait for the other threads once more, which takes longer than the rest of the loop.
    """

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return [] if timeout == 0 else super().select(timeout)


class _Loop(asyncio.SelectorEventLoop):
    """An event loop that is closed with its thread."""

    def __del__(self) -> None:
        self.close()


class _PerThread(threading.local):
    """What each thread has of its own: an event loop."""

    def __init__(self) -> None:
        self.loop = _Loop(_Selector())


class _Exchange:
    """One request and its response, as the SDK's `DispatchContext`; the server sends nothing else."""

    transport = HTTP
    can_send_request = False

    def __init__(self, request_id: t.RequestId, call: Call) -> None:
        self.request_id = request_id
        self.message_metadata = ServerMessageMetadata(request_context=call)
        self.cancel_requested = anyio.Event()

    async def send_raw_request(self, method: str, params: Any, opts: Any = None) -> NoReturn:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Any, opts: Any = None) -> None:
        """Sends nothing: a JSON response has no room for notifications."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Sends nothing."""


def _context_or_refusal() -> Context | Refusal:
    """Returns the request's context; a known token that calls too often is refused in the response to its message."""
    try:
        return callers().context(Channel.MCP)
    except RateLimited as refusal:
        if CALLER not in request.environ:
            raise
        return refusal


def _refused_request() -> Response | None:
    """Refuses a body that is not JSON, a client that takes no JSON, and a toolset that does not exist."""
    if request.mimetype != JSON:
        return _refusal(400, t.INVALID_REQUEST, f"Send the message with `Content-Type: {JSON}`.")
    accepted = (part.partition(";")[0].strip() for part in request.headers.get("Accept", "").lower().split(","))
    if not any(part in ACCEPTED for part in accepted):
        return _refusal(406, t.INVALID_REQUEST, f"Responses are JSON: send `Accept: {JSON}, text/event-stream`.")
    if any(name != TOOLSET and OSA.distance(name.lower(), TOOLSET, score_cutoff=1) <= 1 for name in request.args):
        return _refusal(400, t.INVALID_PARAMS, f"The query parameter is `{TOOLSET}`: correct its spelling.")
    if _toolset() not in NAMES:
        known = ", ".join(NAMES)
        return _refusal(400, t.INVALID_PARAMS, f"There is no toolset {_toolset()!r}; the toolsets are {known}.")
    return None


def _toolset() -> str:
    return request.args.get(TOOLSET, ALL)


def _accepted(headers: Headers) -> Response:
    """Returns the response to a notification; none has an effect."""
    if not _has_handshake(headers):
        rejected = unsupported_protocol_version_rejection(headers[MCP_PROTOCOL_VERSION_HEADER])
        if rejected is not None:
            return _error(400, None, _rejection(rejected))
    response = Response(status=202)
    del response.headers["Content-Type"]
    return response


def _connection(message: dict[str, Any], headers: Headers) -> Connection:
    """Returns what the request states about its client, or the revision agreed on in the handshake."""
    if _has_handshake(headers):
        return Connection.from_envelope(headers.get(MCP_PROTOCOL_VERSION_HEADER, OLDEST_OVER_HTTP), None, None)
    route = classify_inbound_request(message, headers=headers)
    if isinstance(route, InboundLadderRejection):
        raise MCPError.from_error_data(_rejection(route))
    return Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)


def _has_handshake(headers: Headers) -> bool:
    """Returns whether a client speaks a revision with a handshake; one that names no revision does."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _with_traces_of_text(params: dict[str, Any] | None) -> dict[str, Any] | None:
    """Leaves out trace identifiers that are not text, which OpenTelemetry fails on."""
    meta = (params or {}).get("_meta")
    if not isinstance(meta, dict):
        return params
    clean = {key: value for key, value in meta.items() if key not in TRACE_KEYS or isinstance(value, str)}
    return {**(params or {}), "_meta": clean}


def _error_data(call: Call, method: str, error: Exception) -> t.ErrorData:
    """Returns an exception as a protocol error; a bug is logged and named by its request's id."""
    known = handler_exception_to_error_data(error)
    if known is not None:
        return known
    bug = call.unexpected(method)
    return t.ErrorData(code=t.INTERNAL_ERROR, message=bug.message, data=bug.body())


def _rejection(rejected: InboundLadderRejection) -> t.ErrorData:
    return t.ErrorData(code=rejected.code, message=rejected.message, data=rejected.data)


def _refusal(status: int, code: int, message: str) -> Response:
    """Returns the response to a message that is not a request: an error without an id."""
    return _error(status, None, t.ErrorData(code=code, message=message))


def _error(status: int, request_id: t.RequestId | None, error: t.ErrorData) -> Response:
    return _json(
        status, {"jsonrpc": "2.0", "id": request_id, "error": error.model_dump(mode="json", exclude_none=True)}
    )


def _json(status: int, body: object) -> Response:
    return Response(orjson.dumps(body), status, content_type=JSON)
