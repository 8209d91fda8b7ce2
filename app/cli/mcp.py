"""`mcp`: the tools over standard input and output, for clients that start their servers themselves."""

import os
import sys

import click
import httpx2

from app.cli.calling import connected
from app.core.vocabulary import ALL_TOOLS, TOOLSETS
from app.documents.responses import MINIMAL
from app.features import ServerSettings
from app.http.tracing import trace
from app.server import create_app
from mcp_tools.over_stdio import INVALID, TOKEN, StdioServer

URL = "http://localhost/mcp"
JSON = "application/json"


@click.command()
@click.option(
    "--toolset", type=click.Choice(TOOLSETS), default=ALL_TOOLS, show_default=True, help="Which tools to offer."
)
@click.option(
    "--return",
    "returned",
    type=click.Choice([MINIMAL]),
    help="Have a write of a document answer with four keys instead of its record.",
)
def command(toolset: str, returned: str | None) -> None:
    """Serve MCP over stdio, with the token in CONTENT_WORKFLOW_TOKEN.

    MONGODB_URI names the database. A service elsewhere is reached by a bridge such as mcp-remote.
    """
    secret = os.environ.get(TOKEN, "").strip()
    if not secret:
        raise click.ClickException(f"{TOKEN} is not set: it holds a management token, `cwm_…`.")
    if not secret.isascii():
        raise click.ClickException(INVALID)
    headers = {"Authorization": f"Bearer {secret}", "Accept": JSON, "Content-Type": JSON}
    query = {"toolset": toolset} | ({"return": returned} if returned else {})
    with httpx2.Client(headers=headers, params=query, transport=_this_process()) as http:
        StdioServer(http, URL, sys.stdout.buffer).serve(sys.stdin.buffer)


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
    settings = ServerSettings.from_environment().model_copy(update=alone)
    trace(settings)
    return httpx2.WSGITransport(app=create_app(settings, connected(settings)))
