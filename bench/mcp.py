"""A tool call as it goes over the wire."""

import orjson

from bench.load import request

MODERN, HANDSHAKE = "2026-07-28", "2025-06-18"
"""The eras of the protocol: without and with a handshake."""


def tool_call(tool: str, arguments: dict[str, object], token: str, era: str) -> bytes:
    """Returns a tool call of an era."""
    params: dict[str, object] = {"name": tool, "arguments": arguments}
    headers = {"Accept": "application/json, text/event-stream", "MCP_Protocol_Version": era}
    if era == MODERN:
        headers |= {"Mcp_Method": "tools/call", "Mcp_Name": tool}
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        }
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    return request("POST", "/mcp", token, body, **headers)
