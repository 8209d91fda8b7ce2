"""MCP over standard input and output: each line is sent to the `/mcp` of a service in this process."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, BinaryIO

import httpx2
import mcp_types as t
import orjson
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)

from app.core.errors import Unauthorized
from mcp_tools.over_http import id_of, message_of

log = logging.getLogger("content_workflow.mcp")

TOKEN = "CONTENT_WORKFLOW_TOKEN"  # noqa: S105
"""The environment variable that holds the token."""

INVALID = (
    f"{TOKEN} holds no valid management token (cwm_…): it is of another kind, unknown, expired or revoked. Ask an "
    "administrator of the project for a new one, and start this program again with it."
)


class StdioServer:
    """Sends the lines of a client to an MCP endpoint, and writes the responses."""

    def __init__(self, http: httpx2.Client, url: str, answers: BinaryIO) -> None:
        self._http = http
        self._url = url
        self._answers = answers
        self._agreed: dict[str, str] = {}
        """Headers that the handshake agreed on, sent with every message after it."""

    def serve(self, lines: Iterable[bytes]) -> None:
        """Responds to one line after the other; returns when the lines end."""
        for line in filter(None, map(bytes.strip, lines)):
            message = message_of(line)
            try:
                answer = self._ask(line, message)
            except Exception:  # a bug: the client still gets a response
                log.exception("bug")
                answer = _failed(message, "Something unexpected happened. The log of this program says what.")
            if answer is not None:
                self._answers.write(orjson.dumps(answer) + b"\n")
                self._answers.flush()

    def _ask(self, line: bytes, message: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the endpoint's response to a message, or an error instead; None for a notification.

        Invalid messages are sent as they are: the endpoint says what is wrong with them.
        """
        response = self._http.post(self._url, content=line, headers={**self._agreed, **_headers(message)})
        if "id" not in message and response.is_success:
            return None
        answer = message_of(response.content)
        if "jsonrpc" not in answer or answer.get("id") is None:
            return _refused(message, response, answer)
        if message.get("method") == "initialize" and "result" in answer:
            self._agreed[MCP_PROTOCOL_VERSION_HEADER] = str(answer["result"].get("protocolVersion"))
            if session := response.headers.get(MCP_SESSION_ID_HEADER):
                self._agreed[MCP_SESSION_ID_HEADER] = session
        return answer


def _refused(message: dict[str, Any], response: httpx2.Response, answer: dict[str, Any]) -> dict[str, Any] | None:
    """Returns the error for a response that is no JSON-RPC response to its request."""
    error: dict[str, Any] = answer.get("error") or answer
    reason = (
        INVALID if answer.get("_tag") == Unauthorized.__name__ else str(error.get("message") or response.text[:500])
    )
    code = t.INVALID_REQUEST if response.status_code in (400, 413) else t.INTERNAL_ERROR
    return _failed(message, reason, error.get("code", code))


def _headers(message: dict[str, Any]) -> dict[str, str]:
    """Returns the headers of a message of the newest revision, which repeat what it is about."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    revision = meta.get(t.PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
    if revision is None:
        return {}
    method = message.get("method")
    headers = {MCP_PROTOCOL_VERSION_HEADER: revision, MCP_METHOD_HEADER: method}
    if about := NAME_BEARING_METHODS.get(str(method)):
        headers[MCP_NAME_HEADER] = (params or {}).get(about)
    return {name: encode_header_value(str(value)) for name, value in headers.items()}


def _failed(message: dict[str, Any], reason: str, code: int = t.INTERNAL_ERROR) -> dict[str, Any] | None:
    """Returns the error instead of a response, None for a notification; an id that JSON-RPC does not allow is null."""
    log.error(reason)
    if message and "id" not in message:
        return None
    return {"jsonrpc": "2.0", "id": id_of(message), "error": {"code": code, "message": reason}}
