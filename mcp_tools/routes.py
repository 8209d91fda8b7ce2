"""Registers `/mcp` on the Flask app.

The MCP SDK is imported at the first call: that takes as long as importing everything else, and many servers never
answer one.
"""

from functools import cache
from importlib import import_module
from typing import Any

from flask import Blueprint, Flask, Response

from app.settings import Settings


def install(app: Flask, settings: Settings) -> None:
    """Serves MCP at `/mcp`."""

    @cache
    def endpoint() -> Any:
        return import_module("mcp_tools.over_http").McpView(settings)

    def mcp() -> Response:
        response: Response = endpoint().view()
        return response

    blueprint = Blueprint("mcp", __name__)
    blueprint.add_url_rule("/mcp", view_func=mcp, methods=["POST"])
    app.register_blueprint(blueprint)
