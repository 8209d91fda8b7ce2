"""`/llms.txt`: what a language model finds when it looks at the server's root."""

from pathlib import Path

from flask import Flask, Response

from app.operations.catalogue import MCP_CATALOGUE
from app.settings import Settings
from mcp_tools.guidance import NAMES

INTERFACES = {
    "serve_mcp": "- [MCP](/mcp): streamable HTTP; the tools below",
    "serve_rest": "- [REST](/openapi.json): the OpenAPI document of the management API, [to read](/docs)",
    "serve_graphql": "- [GraphQL](/graphql): what is published, read-only, with a delivery token",
}


def install(app: Flask, settings: Settings) -> None:
    """Serves `/llms.txt`, which names the interfaces that are on; it needs no token."""
    interfaces = "\n".join(line for name, line in INTERFACES.items() if getattr(settings, name))
    tools = "\n".join(f"- `{operation.name}`: {operation.summary}" for operation in MCP_CATALOGUE)
    template = Path(__file__).with_name("llms.txt").read_text()
    text = template.format(interfaces=interfaces, tools=tools, toolsets=", ".join(NAMES))
    app.add_url_rule("/llms.txt", "llms", lambda: Response(text, content_type="text/plain; charset=utf-8"))
