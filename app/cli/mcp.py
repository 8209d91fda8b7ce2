"""`mcp`: the tools over standard input and output, for clients that start their servers themselves."""

import os
import sys
from urllib.parse import urlencode, urlsplit, urlunsplit

import click
import httpx2
import marshmallow as ma

from app.cli.calling import connected
from app.core.schemas.validation import http_url
from app.core.vocabulary import ALL_TOOLS, TOOLSETS
from app.documents.responses import MINIMAL
from app.http.logs import log_as_json
from app.http.tracing import trace
from app.server import create_app
from app.settings import Settings
from mcp_tools.over_stdio import INVALID, TOKEN, StdioServer

LOCAL_URL = "http://localhost/mcp"
JSON = "application/json"
TIMEOUT = 60.0
"""Seconds to wait for a response."""


def _address(url: str) -> str:
    """The type of an option with an http or https address that has no user name and no query."""
    try:
        http_url(url)
    except ma.ValidationError as error:
        raise click.BadParameter(str(error.messages[0])) from None
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query:
        raise click.BadParameter(f"Must have no user name and no query: the token is in {TOKEN}; use --toolset.")
    return url


@click.command()
@click.option(
    "--url",
    metavar="URL",
    type=_address,
    help="The MCP address of a service elsewhere, https://content.example.com/mcp.",
)
@click.option(
    "--toolset", type=click.Choice(TOOLSETS), default=ALL_TOOLS, show_default=True, help="Which tools to offer."
)
@click.option(
    "--return",
    "returned",
    type=click.Choice([MINIMAL]),
    help="Have a write of a document answer with four keys instead of its record.",
)
def command(url: str | None, toolset: str, returned: str | None) -> None:
    """Serve MCP over stdio, with the token in CONTENT_WORKFLOW_TOKEN.

    MONGODB_URI names the database. With --url no database is needed: every message is sent to that service.
    """
    secret = os.environ.get(TOKEN, "").strip()
    if not secret:
        raise click.ClickException(f"{TOKEN} is not set: it holds a management token, `cwm_…`.")
    if not secret.isascii():
        raise click.ClickException(INVALID)
    headers = {"Authorization": f"Bearer {secret}", "Accept": JSON, "Content-Type": JSON}
    with httpx2.Client(headers=headers, timeout=TIMEOUT, transport=None if url else _this_process()) as http:
        if url:
            log_as_json("WARNING")
        query = {"toolset": toolset} | ({"return": returned} if returned else {})
        address = f"{mcp_address(url or LOCAL_URL)}?{urlencode(query)}"
        StdioServer(http, address, sys.stdout.buffer, in_process=url is None).serve(sys.stdin.buffer)


def mcp_address(url: str) -> str:
    """Returns the address of the MCP server of a service, whose root may be given instead."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path="/mcp" if parts.path in ("", "/") else parts.path, query=""))


def _this_process() -> httpx2.WSGITransport:
    """Returns a client of a service in this process that serves only MCP, on the database of the environment."""
    alone = {
        "serve_rest": False,
        "serve_graphql": False,
        "serve_docs": False,
        "serve_metrics": False,
        "serve_mcp": True,
        "rate_limit": 0,
        "failed_auth_limit": 0,
        "log_level": "WARNING",
    }
    settings = Settings.from_environment().model_copy(update=alone)
    trace(settings)
    return httpx2.WSGITransport(app=create_app(settings, connected(settings)))
