"""Registers `/mcp` on the Flask app.

The MCP SDK is imported at the first call: that takes as long as importing everything else, and many servers never
answer one.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from flask import Flask

from app.settings import Settings

if TYPE_CHECKING:
    from mcp_tools.over_http import McpView


def install(app: Flask, settings: Settings) -> None:
    """Serves MCP at `/mcp`."""

    @cache
    def endpoint() -> McpView:
        view: McpView = import_module("mcp_tools.over_http").McpView(settings)
        return view

    app.add_url_rule("/mcp", "mcp", lambda: endpoint().view(), methods=["POST"])
