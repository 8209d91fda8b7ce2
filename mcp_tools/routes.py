"""Registers `/mcp` on the Flask app, and `/llms.txt`: what a language model finds when it looks at its root."""

import orjson
from flask import Blueprint, Flask, Response, request

from app.core.errors import CHALLENGE, Refusal
from app.core.features import Features
from app.core.vocabulary import TOOLSETS
from app.http.hosts import HostNames
from app.projects.tokens import AGENT_SCOPES, USUAL_SCOPES
from app.settings import Settings
from mcp_tools.texts import text_of

INTERFACES = {
    "serve_mcp": "- [MCP](/mcp): streamable HTTP; the tools below",
    "serve_rest": "- [REST](/openapi.json): the OpenAPI document of the management API, [to read](/docs)",
    "serve_graphql": "- [GraphQL](/graphql): what is published, read-only, with a delivery token",
}

INVALID_REQUEST, INTERNAL_ERROR = -32600, -32603
"""JSON-RPC's codes; `mcp_types` is imported with the SDK."""

PUBLISHING = ("reviewing", "admin")
"""The toolsets whose tools need the scope `publish`."""


def install(app: Flask, settings: Settings) -> None:
    """Serves MCP at `/mcp`."""
    names = HostNames(settings.public_url, settings.mcp_allowed_hosts)
    metadata = f"{settings.issuer}/.well-known/oauth-protected-resource/mcp"
    # The header names the document that says how a client is connected (RFC 9728; decisions, section 16).
    challenge = f'{CHALLENGE}, resource_metadata="{metadata}"' if settings.issuer else ""

    def view() -> Response:
        from mcp_tools.over_http import respond  # the SDK takes a second to import, and many servers are never called

        try:
            return respond(names, challenge)
        except Refusal as refusal:
            if challenge and "WWW-Authenticate" in refusal.headers:
                scopes = USUAL_SCOPES if request.args.get("toolset") in PUBLISHING else AGENT_SCOPES
                refusal.headers["WWW-Authenticate"] = f'{challenge}, scope="{" ".join(scopes)}"'
            raise

    routes = Blueprint("mcp", __name__)
    routes.add_url_rule("/mcp", "mcp", view, methods=["POST"])
    routes.after_request(_as_json_rpc)
    app.register_blueprint(routes)
    app.config["WITH_OWN_LIMITS"].add("mcp")  # the same, after the caller is known


def _as_json_rpc(response: Response) -> Response:
    """Adds the keys of a JSON-RPC error to a refusal of a whole request: clients show no message of another body."""
    if response.status_code >= 400 and "_tag" in (body := response.get_json()):
        code = INVALID_REQUEST if response.status_code < 500 else INTERNAL_ERROR
        error = {"code": code, "message": body["message"], "data": body}
        response.data = orjson.dumps({**body, "jsonrpc": "2.0", "id": None, "error": error})
    return response


def install_llms(app: Flask, settings: Settings, features: Features) -> None:
    """Serves `/llms.txt`, which names the interfaces that are on; it needs no token."""
    interfaces = "\n".join(line for name, line in INTERFACES.items() if getattr(settings, name))
    text = text_of("llms.txt.jinja", interfaces=interfaces, features=features, toolsets=", ".join(TOOLSETS))
    app.add_url_rule("/llms.txt", "llms", lambda: Response(text, content_type="text/plain; charset=utf-8"))
