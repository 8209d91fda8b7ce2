"""Registers `/mcp` on the Flask app."""

from flask import Flask, Response

from app.errors import CHALLENGE, Refusal
from app.http.hosts import HostNames
from app.rules.oauth import DEFAULT_SCOPES
from app.settings import Settings


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
                refusal.headers["WWW-Authenticate"] = f'{challenge}, scope="{DEFAULT_SCOPES}"'
            raise

    app.add_url_rule("/mcp", "mcp", view, methods=["POST"])
