"""Milliseconds of CPU that a request takes of its thread, in the service and in its floor, and their commands.

`python -m bench.cpu [name]` prints them: requests run one at a time in this process, without a server, so that other
programs move the figures little. What MongoDB takes is not counted.
"""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from time import thread_time
from wsgiref.types import WSGIApplication, WSGIEnvironment

from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from app.cli.mongod import running_mongod
from app.features import ServerSettings
from app.server import create_app
from bench import report, requests
from bench.load import request
from bench.servers import floor_store, own_store

WARM_UP, COUNTED = 60, 300
OURS, FLOOR = 1, 2
"""The two sides of each row; no server listens, so these stand for their ports."""
HEAD = ("Request", "Floor, ms", "The service, ms", "Share", "Target")


def main() -> None:
    """Prints the CPU of each request, of its floor, and of a bare Flask view and `GET /health` of the service."""
    only = " ".join(sys.argv[1:])
    with running_mongod(Path(".mongod") / "bench") as uri, own_store(uri) as store:
        bare_store = floor_store(uri, store)
        here, there = requests.library(store), requests.library(bare_store)
        os.environ |= {
            **{"MONGODB_URI": uri, "MONGODB_DATABASE": bare_store.database.name, "BENCH_PROJECT": there.project.id},
            **{"RATE_LIMIT_PER_MINUTE": "100000000", "MCP_ALLOWED_HOSTS": "bench"},
        }
        from bench.floor import app as floor  # only now, as it reads the environment

        with redirect_stderr(io.StringIO()):  # the log's lines
            apps: dict[int, WSGIApplication] = {
                OURS: create_app(ServerSettings.from_environment(), store),
                FLOOR: floor,
            }
        flask, health = _cpu(_bare_flask(), [request("GET", "/")]), _cpu(apps[OURS], [request("GET", "/health")])
        rows = []
        for row in requests.table(here, there, OURS, FLOOR):
            if only in row.what:
                least, ours = (_cpu(apps[side.port], side.requests()) for side in (row.floor, row.ours))
                rows.append((row.what, f"{least:.2f}", f"{ours:.2f}", f"{least / ours:.2f}", f"{row.target:.2f}"))
    print(report.markdown_table(HEAD, rows))
    print(f"A bare Flask application takes {flask:.2f} ms, GET /health of the service {health:.2f}.")


def _bare_flask() -> Flask:
    app = Flask("bare", static_folder=None)
    app.add_url_rule("/", view_func=lambda: "{}")
    return app


def _cpu(app: WSGIApplication, sent: Sequence[bytes]) -> float:
    """Returns the median milliseconds of some of the requests, after others have filled all caches."""
    turns = islice(cycle(sent), WARM_UP + COUNTED)
    return 1_000 * median([_seconds(app, _environ(one)) for one in turns][WARM_UP:])


def _seconds(app: WSGIApplication, environ: WSGIEnvironment) -> float:
    start = thread_time()
    _, status, _ = run_wsgi_app(app, environ)
    taken = thread_time() - start
    assert status.startswith("20"), (status, environ["PATH_INFO"])
    return taken


def _environ(sent: bytes) -> WSGIEnvironment:
    head, _, body = sent.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _version = first.split(" ")
    headers = [tuple(line.split(": ", 1)) for line in lines]
    return EnvironBuilder(path, method=method, headers=headers, data=body).get_environ()  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
