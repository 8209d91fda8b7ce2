"""MCP over streamable HTTP, as a view of the Flask app: stateless, JSON responses, any server can serve any call.

The view checks the caller and the request, and passes its message to the SDK's own HTTP transport, which runs on one
event loop in a thread beside the server's. That takes 0.5 to 1 ms a call; an ASGI server would make REST slower.
"""

import atexit
import json
import secrets
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from typing import Any

import anyio
import mcp_types as t
import orjson
from anyio.from_thread import BlockingPortal, start_blocking_portal
from flask import Response, request
from itsdangerous import BadData, URLSafeSerializer
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from pydantic import ValidationError
from starlette.types import Message

from app.core.context import Context
from app.core.errors import RateLimited, Refusal
from app.core.features import Features
from app.core.schemas.queries import is_nearly_dry_run
from app.core.schemas.validation import near_name
from app.core.store.request_time import standing_still
from app.core.vocabulary import ALL_TOOLS, TOOLSETS, Channel, Scope
from app.documents.responses import MINIMAL
from app.http import bodies
from app.http.bodies import MAX_VALUES, too_many_values
from app.http.callers import LARGE_BYTES, callers
from app.http.hosts import HostNames, is_same_origin
from app.http.requests import CALLER, current_request_id, note_refusal
from mcp_tools.arguments import DRY_RUN
from mcp_tools.refusals import with_next_step
from mcp_tools.server import Call, mcp_server
from mcp_tools.tools import tools_of

JSON = "application/json"
TOOLSET, RETURN = "toolset", "return"
ADDRESS = {TOOLSET, RETURN}

MAX_NAME = 100
"""Maximum number of characters of an agent's name."""


def respond(names: HostNames, challenge: str) -> Response:
    """Responds to one message of a client; checks the token first, then the address, then the message.

    `challenge` is the header for a client that lacks a scope, if clients can be connected by OAuth.
    """
    context_or_refusal = _context_or_refusal()
    response = _refused_request(names) or _answer(context_or_refusal, challenge)
    if isinstance(context_or_refusal, Refusal):
        response.headers.update(context_or_refusal.headers)
    return response


def _context_or_refusal() -> Context | Refusal:
    """Returns the request's context; a known token that calls too often is refused in the response to its message.

    A large message is not read for that.
    """
    try:
        ctx = callers().context(Channel.MCP)
        address = ctx.server.address()  # the call runs in another thread, which knows no request
        return replace(ctx, server=replace(ctx.server, address=lambda: address))
    except RateLimited as refusal:
        length = request.content_length
        if CALLER not in request.environ or length is None or length > LARGE_BYTES:
            raise
        return refusal


def _refused_request(names: HostNames) -> Response | None:
    """Refuses a host name that is not this server's, web pages of any other origin, and what is wrong in the headers
    and the address; the SDK's own checks know neither this server's names nor its toolsets."""
    host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
    if not names.include(host):
        return _refusal(421, t.INVALID_REQUEST, f"The host {host!r} is not allowed: see MCP_ALLOWED_HOSTS.")
    if origin and not is_same_origin(origin, host):
        return _refusal(403, t.INVALID_REQUEST, f"Pages of {origin!r} may not call this server.")
    if request.mimetype != JSON:
        return _refusal(400, t.INVALID_REQUEST, f"Send the message with `Content-Type: {JSON}`.")
    if not request.accept_mimetypes.accept_json:
        return _refusal(406, t.INVALID_REQUEST, f"Responses are JSON: send `Accept: {JSON}, text/event-stream`.")
    if any(is_nearly_dry_run(name) for name in request.args):
        message = f"`{DRY_RUN}` is an argument of each tool that writes: send it there."
        return _refusal(400, t.INVALID_PARAMS, message)
    for name in request.args.keys() - ADDRESS:
        if meant := near_name(name, ADDRESS):
            return _refusal(400, t.INVALID_PARAMS, f"The address has no such parameter: did you mean `{meant}`?")
    if (toolset := request.args.get(TOOLSET, ALL_TOOLS)) not in TOOLSETS:
        message = f"There is no toolset {toolset!r}; the toolsets are {', '.join(TOOLSETS)}."
        return _refusal(400, t.INVALID_PARAMS, message)
    if request.args.get(RETURN, MINIMAL) != MINIMAL:
        return _refusal(400, t.INVALID_PARAMS, f"`{RETURN}` can be `{MINIMAL}`: leave it out for whole records.")
    return None


def _answer(context_or_refusal: Context | Refusal, challenge: str) -> Response:
    """Responds to the message in the request's body, which has to be as strict JSON as that of REST."""
    bodies.discard_long()
    body, authorization = bodies.read(), request.headers["Authorization"]
    if too_many_values(body):
        return _refusal(400, t.INVALID_REQUEST, f"The body must have at most {MAX_VALUES:,} values.")
    try:
        message = orjson.loads(body)
        is_notification = isinstance(message, dict) and "id" not in message
        (t.JSONRPCNotification if is_notification else t.JSONRPCRequest).model_validate(message)
    except orjson.JSONDecodeError as error:
        return _refusal(400, t.PARSE_ERROR, f"The body is not valid JSON: {error}.", id_of(message_of(body)))
    except ValidationError:
        wrong = "The body must be one JSON-RPC request or notification."
        return _refusal(400, t.INVALID_REQUEST, wrong, id_of(message_of(body)))
    client = _client_of(message, authorization)
    toolset, minimal = request.args.get(TOOLSET, ALL_TOOLS), RETURN in request.args
    if isinstance(context_or_refusal, Context):
        caller = context_or_refusal.caller
        caller = caller if caller.agent else replace(caller, client=client)
        context_or_refusal = replace(context_or_refusal, caller=caller, toolset=toolset, explain=with_next_step)
    note = partial(note_refusal, environ=request.environ)  # the call runs in another thread, which knows no request
    call = Call(context_or_refusal, toolset, current_request_id(), callers().store.features, minimal, note)
    response = _served(body, call)
    if challenge and (scope := _lacking_scope(message, call)):
        response.status_code = 403
        response.headers["WWW-Authenticate"] = f'{challenge}, error="insufficient_scope", scope="{scope}"'
    if client and message["method"] == "initialize":
        response.headers[MCP_SESSION_ID_HEADER] = _sessions(authorization).dumps([client, secrets.token_hex(9)])
    return response


def _lacking_scope(message: dict[str, Any], call: Call) -> Scope | None:
    """Returns the scope of the tool that a message calls, if a connection lacks it: its client can ask for more.

    Clients with a static token, which can't, would end their session at a 403.
    """
    params = message.get("params")
    name = params.get("name") if message["method"] == "tools/call" and isinstance(params, dict) else None
    tool = tools_of(call.features, call.toolset).get(name) if isinstance(name, str) else None
    if tool is None or isinstance(call.context_or_refusal, Refusal):
        return None
    if "connection" not in call.context.caller.token:
        return None
    scope = tool.operation.scope
    return None if scope in call.context.caller.scopes else scope


def _client_of(message: dict[str, Any], authorization: str) -> str:
    """Returns the client's name, as records can store it: that which a message states, else that of its session.

    Messages of the newest revision state it; of older ones only the handshake does.
    """
    params = message.get("params") or {}
    meta = params.get("_meta")
    stated = meta.get(t.CLIENT_INFO_META_KEY) if isinstance(meta, dict) else params.get("clientInfo")
    try:
        client = t.Implementation.model_validate(stated)
    except ValidationError:  # it states none, or the SDK refuses it
        session_id = request.headers.get(MCP_SESSION_ID_HEADER, "")
        try:
            return str(_sessions(authorization).loads(session_id)[0])
        except BadData:  # another server's, or none
            return ""
    return "".join(letter for letter in client.name if letter.isprintable()).strip()[:MAX_NAME]


def _sessions(authorization: str) -> URLSafeSerializer:
    """Returns what makes and reads session ids: they carry the client's name, so that no server stores sessions.

    Clients send the session id of the handshake's response with each call, to any server. It is valid for the token
    that it is signed with.
    """
    return URLSafeSerializer(authorization, salt="mcp-session")


def _served(body: bytes, call: Call) -> Response:
    """Returns the response of the SDK's ASGI application to the request at hand."""
    received: list[Message] = [{"type": "http.request", "body": body}]
    sent: list[Message] = []

    async def receive() -> Message:
        if not received:
            await anyio.sleep_forever()  # the client stays connected
        return received.pop()

    async def send(event: Message) -> None:
        sent.append(event)

    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers]
    scope = {"type": "http", "method": "POST", "path": request.path, "query_string": b"", "headers": headers}
    portal, manager = _transport(call.features, call.toolset)
    with standing_still():  # the request's clock runs in the thread of the call
        portal.call(manager.asgi_app, {**scope, "state": {"call": call}}, receive, send)
    start, *parts = sent
    content = b"".join(part["body"] for part in parts)
    response = Response(content, start["status"], [(name.decode(), value.decode()) for name, value in start["headers"]])
    if not content:
        del response.headers["Content-Type"]
    return response


@cache
def _transport(features: Features, toolset: str) -> tuple[BlockingPortal, StreamableHTTPSessionManager]:
    """Returns the SDK's transport and the event loop that it runs on.

    Each application and toolset of a process has its own transport, from its first call.
    """
    portal = _portal()
    manager = StreamableHTTPSessionManager(
        mcp_server(features, toolset), json_response=True, stateless=True, max_request_body_size=bodies.MAX_BODY
    )
    _running().enter_context(portal.wrap_async_context_manager(manager.run()))
    return portal, manager


@cache
def _portal() -> BlockingPortal:
    """Returns the event loop that the transports of a process run on."""
    return _running().enter_context(start_blocking_portal(name="mcp"))


@cache
def _running() -> ExitStack:
    """Returns what ends the transports and their loop when the process does."""
    running = ExitStack()
    atexit.register(running.close)
    return running


def message_of(text: bytes) -> dict[str, Any]:
    """Returns a JSON object, strict or not, as a client waits for its id; an empty one for any other value."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def id_of(message: dict[str, Any]) -> int | str | None:
    """Returns the id of a message; None where it has none that JSON-RPC allows."""
    return message["id"] if type(message.get("id")) in (int, str) else None


def _refusal(status: int, code: int, message: str, request_id: int | str | None = None) -> Response:
    """Returns the response to a message that is not a request: an error, under its id where that can be read."""
    error = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
    return Response(orjson.dumps(error), status, content_type=JSON)
