"""`serve`: the production server, with every interface on one port, and the worker."""

import logging
import threading

import click

from app.cli.calling import started
from app.cli.server_process import free_address, run
from app.core.errors import ServiceUnavailable
from app.core.store.store import Store
from app.features import connect

log = logging.getLogger("content_workflow.serve")


@click.command()
@click.option("--host", default="127.0.0.1", help="The address to listen on; 0.0.0.0 for all.")
@click.option("--port", type=click.IntRange(1, 65_535), default=8000, help="The port to listen on.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, help="Server processes; one per core is a good start."
)
@click.option("--no-worker", is_flag=True, help="Leave scheduled publishing, events and webhooks to `worker`.")
def command(host: str, port: int, workers: int, no_worker: bool) -> None:
    """Serve REST, GraphQL, MCP, and the reference at /docs.

    MONGODB_URI names the database; docs/configuration.md lists the other environment variables.
    """
    settings = started()
    address = free_address(host, port)
    store = connect(settings.mongodb_uri, settings.database, settings.deadline_seconds)
    # Meanwhile the server processes start.
    threading.Thread(target=_prepare_database, args=(store,), daemon=True).start()
    run(address, port, workers, settings, with_worker=not no_worker)


def _prepare_database(store: Store) -> None:
    """Creates the indexes and validators of a database without projects, and logs what differs in another.

    The server starts in any case, and `/ready` is 503 while it can't work.
    """
    from app.cli.db import create_in_new, differences

    try:
        store.check_usable()
        create_in_new(store)
        if lines := differences(store):  # one line of the log, as there may be nearly a hundred
            found = {"differences": len(lines), "first": lines[0], "remedy": "content-workflow db check lists them"}
            log.warning("database differs", extra=found)
    except ServiceUnavailable as error:
        error.report(log, untilThen="requests are answered with 503")
    finally:
        store.database.client.close()
