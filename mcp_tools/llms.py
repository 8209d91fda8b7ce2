"""`/llms.txt`: what a language model finds when it looks at the server's root."""

from flask import Blueprint, Flask, Response

from app.operations.catalogue import CATALOGUE, FOR_AGENTS
from app.settings import Settings

TEXT = """\
# Content workflow

> A service to plan documents, write briefs, and draft, review, schedule and publish content. Everything can be done \
over MCP and over REST, by the same rules; what is published is read over GraphQL.

Every call needs a token in the header `Authorization: Bearer <token>`. A person makes it: \
`content-workflow token create --project <id> --name <name> --agent <agent>`.

## For agents

{surfaces}

The working loop: `claim_next_brief`, `get_brief`, `write_content`, `submit_document`; `withdraw_brief` if you can't \
finish. Give each call that writes an idempotency key, and use the same one when you retry. Nothing is published \
unless somebody calls for it.

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
    text = llms_text(settings)
    blueprint = Blueprint("llms", __name__)

    @blueprint.get("/llms.txt")
    def llms() -> Response:
        return Response(text, content_type="text/plain; charset=utf-8")

    app.register_blueprint(blueprint)


def llms_text(settings: Settings) -> str:
    """Returns the text for the surfaces that the settings turn on."""
    surfaces = "\n".join(line for name, line in SURFACES.items() if getattr(settings, name))
    tools = "\n".join(f"- `{operation.name}`: {operation.summary}" for operation in (*CATALOGUE, *FOR_AGENTS))
    return TEXT.format(surfaces=surfaces, tools=tools)
