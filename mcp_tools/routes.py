"""Registers `/mcp` on the Flask app."""

from flask import Flask, Response

from app.http.hosts import HostNames
from app.settings import Settings


def install(app: Flask, settings: Settings) -> None:
    """Serves MCP at `/mcp`."""
    names = HostNames(settings.public_url, settings.mcp_allowed_hosts)

    def view() -> Response:
        from mcp_tools.over_http import respond  # the SDK takes a second to import, and many servers are never called

        return respond(names)

    app.add_url_rule("/mcp", "mcp", view, methods=["POST"])
