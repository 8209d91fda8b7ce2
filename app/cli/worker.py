"""`worker`: scheduled publishing, events and webhooks, without a server."""

import logging
import signal

import click
from prometheus_client import start_http_server

from app.cli.calling import started
from app.core.errors import ServiceUnavailable
from app.core.store.store import Misconfigured, OlderForm
from app.core.worker import Worker, jobs
from app.features import connect
from app.http.metrics import with_token
from app.http.tracing import trace

log = logging.getLogger("content_workflow.worker")


@click.command()
@click.option("--metrics-port", type=click.IntRange(1, 65_535), help="Serve /metrics at this port; off by default.")
@click.option("--metrics-host", default="127.0.0.1", help="The address for it; 0.0.0.0 for all.")
def command(metrics_port: int | None, metrics_host: str) -> None:
    """Publish what is scheduled, relay events, send webhooks; until SIGTERM or Ctrl-C.

    Any number of workers may run at once. `serve` includes one, except with --no-worker.
    """
    settings = started()
    if metrics_port:
        _serve_metrics(metrics_host, metrics_port, settings.metrics_token)
    trace(settings)
    store = connect(settings.mongodb_uri, settings.database, settings.deadline_seconds)
    try:
        store.check_usable()
    except ServiceUnavailable as error:
        if isinstance(error, Misconfigured) and not isinstance(error, OlderForm):
            store.database.client.close()
            raise
        error.report(log, untilThen="the worker waits")
    worker = Worker(jobs(store, settings))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.request_stop())
    worker.start().wait()
    worker.stop()
    worker.end_process()


def _serve_metrics(host: str, port: int, token: str) -> None:
    try:
        server, _ = start_http_server(port, addr=host)
    except OSError as error:
        raise click.ClickException(f"Can't serve metrics on port {port}: {error.strerror}.") from None
    app = server.get_app()
    if token and app:
        server.set_app(with_token(app, token))
