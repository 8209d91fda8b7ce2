"""`/llms.txt`: what a language model finds when it looks at the server's root."""

from flask import Flask, Response

from app.operations.catalogue import MCP_CATALOGUE
from app.settings import Settings
from mcp_tools.toolsets import NAMES

TEXT = """\
# Content workflow

> A service to plan documents, write briefs, and draft, review, schedule and publish content. MCP and REST offer the \
same operations by the same rules; GraphQL delivers what is published.

Every call needs a token in the header `Authorization: Bearer <token>`. A person makes it: \
`content-workflow token create --project <id> --name <name> --agent <agent>`.

## For agents

{surfaces}

The working loop: `claim_next_brief`, `get_work_packet`, `write_content`, `submit_document`. If you can't finish: \
`release_brief`. Send an idempotency key with each call that writes, and the same one when \
you retry. Only tools that say so publish anything. `/mcp?toolset=writing` offers the tools of one job: {toolsets}.

## Tools

{tools}
"""

SURFACES = {
    "serve_mcp": "- [MCP](/mcp): streamable HTTP; the tools below",
    "serve_rest": "- [REST](/openapi.json): the OpenAPI document of the management API, [to read](/docs)",
    "serve_graphql": "- [GraphQL](/graphql): what is published, read-only, with a delivery token",
}


def install(app: Flask, settings: Settings) -> None:
    """Serves `/llms.txt`, which names the surfaces that are on; it needs no token."""
    surfaces = "\n".join(line for name, line in SURFACES.items() if getattr(settings, name))
    tools = "\n".join(f"- `{operation.name}`: {operation.summary}" for operation in MCP_CATALOGUE)
    text = TEXT.format(surfaces=surfaces, tools=tools, toolsets=", ".join(NAMES))
    app.add_url_rule("/llms.txt", "llms", lambda: Response(text, content_type="text/plain; charset=utf-8"))
