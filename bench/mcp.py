"""A tool call beside the REST request that does the same, in both eras of the protocol; the floor is REST."""

from __future__ import annotations

import orjson

from app.store.store import Store
from bench.load import Result, request
from bench.load import run as load
from bench.servers import serving
from tests.make import a_project, a_ready_brief

SECONDS = 4

MODERN, HANDSHAKE = "2026-07-28", "2025-06-18"


def run(uri: str, store: Store) -> list[tuple[str, float, float]]:
    """Returns (what, tool calls a second, REST requests a second); the name says the difference in server time.

    One worker is kept busy, so a second divided by its requests is the server's own time for one.
    """
    project = a_project(store)
    token = project.token().secret
    document = a_ready_brief(project.context(), markdown="# Rye\n")
    environment = {
        "MONGODB_URI": uri,
        "MONGODB_DATABASE": store.database.name,
        "MCP_ALLOWED_HOSTS": "bench",
        "RATE_LIMIT_PER_MINUTE": "0",
        "LOG_LEVEL": "WARNING",
    }
    pairs = (
        ("get_brief", {"documentId": document["id"]}, f"/documents/{document['id']}/brief"),
        ("list_briefs", {"limit": 50}, "/briefs"),
    )
    with serving("wsgi:app", environment) as port:
        rows = []
        for tool, arguments, path in pairs:
            floor = _measured(port, request("GET", path, token))
            for era in (MODERN, HANDSHAKE):
                result = _measured(port, tool_call(tool, arguments, token, era))
                more = 1_000 / result.per_second - 1_000 / floor.per_second
                rows.append((f"{tool} over MCP {era} ({more:+.1f} ms)", result.per_second, floor.per_second))
    return rows


def _measured(port: int, one: bytes) -> Result:
    load(port, [one], seconds=1)
    result = load(port, [one], seconds=SECONDS)
    if set(result.statuses) != {200}:
        raise RuntimeError(f"The load was not answered well: {result.statuses}")
    return result


def tool_call(tool: str, arguments: dict[str, object], token: str, era: str) -> bytes:
    """Returns a tool call as it goes over the wire."""
    params: dict[str, object] = {"name": tool, "arguments": arguments}
    headers = ["Accept: application/json, text/event-stream", f"MCP-Protocol-Version: {era}"]
    if era == MODERN:
        headers += ["Mcp-Method: tools/call", f"Mcp-Name: {tool}"]
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        }
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    plain = request("POST", "/mcp", token, body)
    line, _, rest = plain.partition(b"\r\n")
    return b"\r\n".join([line, *(header.encode() for header in headers), rest])
