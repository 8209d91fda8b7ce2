"""`mcp`: the tools over standard input and output, for clients that start their servers themselves."""

import os

import anyio
import click

from app.errors import Unauthorized
from app.http.logs import log_as_json
from app.operations.access import Access
from app.settings import Settings
from app.store.store import connect
from mcp_tools import over_stdio, relay

TOKEN = "CONTENT_WORKFLOW_TOKEN"


@click.command()
@click.option("--url", metavar="URL", help="A service elsewhere, like https://content.example.com/mcp.")
def command(url: str | None) -> None:
    """Serve MCP over stdio, with the token in CONTENT_WORKFLOW_TOKEN.

    MONGODB_URI names the database; with --url none is needed, and every message goes to that service.
    """
    secret = os.environ.get(TOKEN, "")
    if not secret:
        raise click.ClickException(f"{TOKEN} is not set: it holds a management token, `cwm_…`.")
    if url is not None:
        log_as_json("WARNING")
        anyio.run(relay.relay, url, secret)
        return
    settings = Settings.from_environment()
    log_as_json(settings.log_level)
    store = connect(settings.mongodb_uri, settings.database, settings.deadline_seconds)
    access = Access(store)
    try:
        over_stdio.context_of(store, access, secret)
    except Unauthorized:
        message = (
            f"{TOKEN} holds no valid management token (cwm_…): it is of another kind, unknown, expired or revoked."
        )
        raise click.ClickException(message) from None
    try:
        anyio.run(over_stdio.serve, store, access, secret, settings.webhooks_allow_local)
    finally:
        store.database.client.close()
