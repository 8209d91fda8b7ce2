"""`dev`: a local MongoDB, a demo project with its tokens, and the server, from one command."""

import os
import shlex
import threading
import time
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import orjson

from app.cli.calling import connected, context, started, written
from app.cli.db import prepare
from app.cli.demo import make_demo
from app.cli.members import invite_owner
from app.cli.mongod import running_mongod
from app.cli.server_process import free_address, run
from app.core.context import Server
from app.core.errors import NotFound
from app.core.store.store import Store

FOLDER = Path(".mongod") / "dev"
HOST = "127.0.0.1"
FIRST_PORT = 8000
PORTS_TRIED = 100
LINK_LIFE = timedelta(hours=12)
SECRET = 0o600
"""The mode of files that only this user can read."""

BANNER = Path(__file__).with_name("dev.txt").read_text("utf-8")
STOPS = f"Ctrl-C stops the server and its MongoDB; the data and tokens stay in {FOLDER}."
STOPS_SERVER = f"Ctrl-C stops the server; the data stay in the database {{database}}, the tokens in {FOLDER}."


@click.command()
@click.option("--port", type=click.IntRange(1, 65_535), help="The port; 8000 by default, or the next free one.")
def command(port: int | None) -> None:
    """Serve a demo project on a local MongoDB, and print its tokens.

    The data stay in the folder .mongod/dev from one start to the next. With MONGODB_URI that database is used instead.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    given = os.environ.get("MONGODB_URI")
    with nullcontext(given) if given else running_mongod(FOLDER) as uri:
        port = _free_port(port)
        url = f"http://{HOST}:{port}"
        # For the server's processes, which read the environment themselves.
        usual = {"WEBHOOKS_ALLOW_LOCAL": "1", "PUBLIC_URL": url}
        os.environ.update({"MONGODB_URI": uri, **{name: os.environ.get(name) or one for name, one in usual.items()}})
        settings = started()
        store = connected(settings)
        database = store.database.name
        if given:
            click.echo(f"MONGODB_URI is set: the demo uses the database {database} on {urlsplit(uri).hostname}.\n")
        demo = _demo(store)
        ctx = replace(context(demo["projectId"], store), server=Server(address=lambda: url))
        member, link = invite_owner(ctx, "Ingrid Solberg", LINK_LIFE)
        store.database.client.close()
        variables = {"BASE": url, "PROJECT": demo["projectId"], "DEMO_MONGODB_URI": uri}
        variables |= {use.upper(): secret for use, secret in demo["tokens"].items()}
        lines = (f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
        with written(FOLDER / "env", SECRET) as env:
            env.write("".join(lines).encode())
        stops = STOPS_SERVER.format(database=database) if given else STOPS
        shown = {"env": shlex.quote(str((FOLDER / "env").resolve())), "console": link, "member": member, "stops": stops}
        banner = BANNER.format(**shown, **variables)
        threading.Thread(target=_print_when_served, args=(port, banner), daemon=True).start()
        run(HOST, port, 1, settings, quiet=True)


def _print_when_served(port: int, banner: str) -> None:
    """Prints the banner as soon as the server answers."""
    while True:
        with closing(HTTPConnection(HOST, port, timeout=5)) as connection, suppress(OSError):
            connection.request("GET", "/health")
            connection.getresponse()
            break
        time.sleep(0.05)
    click.echo(banner, nl=False)


def _free_port(wanted: int | None) -> int:
    """Returns the port that is wanted, or the first that is free."""
    if wanted:
        free_address(HOST, wanted)
        return wanted
    for port in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        with suppress(click.ClickException):
            free_address(HOST, port)
            if port != FIRST_PORT:
                click.echo(f"Port {FIRST_PORT} is in use: using port {port}.\n")
            return port
    raise click.ClickException(f"No port from {FIRST_PORT} to {port} is free: choose another with --port.")


def _demo(store: Store) -> dict[str, Any]:
    """Returns the demo project and its tokens: those of the last start, or new ones where the database has none."""
    file = FOLDER / "demo.json"
    prepare(store)
    try:
        demo: dict[str, Any] = orjson.loads(file.read_bytes())
        context(demo["projectId"], store)
    except (FileNotFoundError, NotFound):
        demo = make_demo(store)
        with written(file, SECRET) as out:
            out.write(orjson.dumps(demo))
    return demo
