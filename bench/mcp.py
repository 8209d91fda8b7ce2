"""A tool call beside the REST request that does the same, in both eras of the protocol; the floor is REST."""

from __future__ import annotations

from itertools import repeat

import orjson

from app.store.store import Store
from bench.load import Side, in_turns, request
from bench.servers import serving
from tests.make import a_project, a_ready_brief

MODERN, HANDSHAKE = "2026-07-28", "2025-06-18"
ERAS = (MODERN, HANDSHAKE)


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
    rows = []
    with serving("wsgi:app", environment) as port:
        for tool, arguments, path in pairs:
            calls = [tool_call(tool, arguments, token, era) for era in ERAS]
            *tools, rest = in_turns(*(Side(port, repeat(one)) for one in (*calls, request("GET", path, token))))
            for era, rate in zip(ERAS, tools, strict=True):
                more = 1_000 / rate - 1_000 / rest
                rows.append((f"{tool} over MCP {era} ({more:+.1f} ms)", rate, rest))
    return rows


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
