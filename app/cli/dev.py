"""`dev`: everything from one command: a local MongoDB, a demo project, its tokens, and the server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import orjson

from app.cli.db import prepared
from app.cli.demo import make_demo
from app.cli.mongod import running_mongod
from app.cli.server_process import port_is_free, run
from app.errors import NotFound
from app.http.logs import log_as_json
from app.operations.projects import service_of
from app.settings import Settings
from app.store.store import Store, connect

FOLDER = Path(".mongod") / "dev"
HOST = "127.0.0.1"
FIRST_PORT = 8000
PORTS_TRIED = 100

SAYS = """\
The Crust, a demo project ({projectId}), is served at {url}

  export BASE={url}
  export OWNER={owner}   # may do everything
  export AGENT={agent}   # reads and writes, as the agent writer-1
  export SITE={site}    # reads what is published

What can an agent write?      curl -H "Authorization: Bearer $AGENT" $BASE/briefs
Take the one due soonest:     curl -H "Authorization: Bearer $AGENT" -X POST $BASE/briefs/claim
The whole plan:               curl -H "Authorization: Bearer $OWNER" $BASE/documents
What the website shows:       curl -H "Authorization: Bearer $SITE" -d 'query={{documents{{slug}}}}' -G $BASE/graphql

The reference: {url}/docs
The command line on the same data: export MONGODB_URI='{uri}'
Ctrl-C stops the server and its MongoDB; the data and tokens stay in {folder}."""


@click.command()
@click.option("--port", type=click.IntRange(1, 65_535), help="The port; 8000 by default, or the next free one.")
def command(port: int | None) -> None:
    """Serve a demo project on a local MongoDB, and print its tokens.

    The data stay in the folder .mongod/dev from one start to the next. With MONGODB_URI that database is used instead.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _mongodb() as uri:
        port = _port(port)
        url = f"http://{HOST}:{port}"
        # For the server's processes, which read the environment themselves.
        os.environ.update({"MONGODB_URI": uri, "WEBHOOKS_ALLOW_LOCAL": os.environ.get("WEBHOOKS_ALLOW_LOCAL", "1")})
        settings = Settings.from_environment()
        log_as_json(settings.log_level)
        demo = _demo(connect(settings.mongodb_uri, settings.database, settings.deadline_seconds))
        click.echo(
            SAYS.format(url=url, uri=uri, folder=FOLDER.resolve(), projectId=demo["projectId"], **demo["tokens"])
        )
        run(HOST, port, 1, settings, quiet=True)


@contextmanager
def _mongodb() -> Iterator[str]:
    if given := os.environ.get("MONGODB_URI"):
        yield given
    else:
        with running_mongod(FOLDER) as uri:
            yield uri


def _port(asked: int | None) -> int:
    if asked is not None:
        if not port_is_free(HOST, asked):
            raise click.ClickException(f"Port {asked} is in use: choose another with --port, or leave it out.")
        return asked
    for port in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        if port_is_free(HOST, port):
            if port != FIRST_PORT:
                click.echo(f"Port {FIRST_PORT} is in use: this is served at {port}.\n")
            return port
    raise click.ClickException(f"No port from {FIRST_PORT} to {port} is free: name one with --port.")


def _demo(store: Store) -> dict[str, Any]:
    """Returns the demo project and its tokens: those of the last start, or new ones where the database has none."""
    kept = FOLDER / "demo.json"
    prepared(store)
    try:
        demo: dict[str, Any] = orjson.loads(kept.read_bytes())
        service_of(store, demo["projectId"])
    except (FileNotFoundError, NotFound):
        demo = make_demo(store)
        _keep(kept, orjson.dumps(demo))
    store.database.client.close()
    return demo


def _keep(file: Path, secrets: bytes) -> None:
    """Writes secrets to a file that nobody else can read; whole, or not at all."""
    new = file.with_suffix(".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(secrets)
    new.replace(file)
