"""How many bytecodes Python runs for each request, of the service and of its floor; the same on a busy machine.

`python -m bench.bytecodes` prints them. What C does is not counted: sockets, BSON, JSON, regular expressions.
"""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from itertools import cycle, islice
from pathlib import Path
from types import FrameType
from typing import Any
from wsgiref.types import WSGIApplication, WSGIEnvironment

from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from app.cli.mongod import running_mongod
from app.features import ServerSettings
from app.server import create_app
from bench import report, requests
from bench.load import request
from bench.servers import own_store

WARM_UP, COUNTED = 60, 5
OURS, FLOOR = 1, 2
"""The two sides of each row; no server listens, so these stand for their ports."""
HEAD = ("Request", "Floor", "The service", "Share", "Of Flask alone", "Of GET /health alone", "Target")


def main() -> None:
    """Prints each request's bytecodes and its floor's, and what share Flask alone would reach."""
    with running_mongod(Path(".mongod") / "bench") as uri, own_store(uri) as store:
        here, there = requests.library(store), requests.library(store)
        os.environ |= {
            **{"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name, "BENCH_PROJECT": there.project.id},
            **{"RATE_LIMIT_PER_MINUTE": "100000000", "MCP_ALLOWED_HOSTS": "bench"},
        }
        from bench.floor import app as floor  # only now, as it reads the environment

        with redirect_stderr(io.StringIO()):  # the log's lines
            apps: dict[int, WSGIApplication] = {
                OURS: create_app(ServerSettings.from_environment(), store),
                FLOOR: floor,
            }
        flask, health = _fewest(_bare_flask(), [request("GET", "/")]), _fewest(apps[OURS], [request("GET", "/health")])
        rows = []
        for row in requests.table(here, there, OURS, FLOOR):
            least, ours = (_fewest(apps[side.port], side.requests()) for side in (row.floor, row.ours))
            shares = (f"{least / most:.2f}" for most in (ours, least + flask, least + health))
            rows.append((row.what, f"{least:,}", f"{ours:,}", *shares, f"{row.target:.2f}"))
    print(report.markdown_table(HEAD, rows))
    print(f"A bare Flask application takes {flask:,}, GET /health of the service {health:,}.")


def _bare_flask() -> Flask:
    app = Flask("bare", static_folder=None)
    app.add_url_rule("/", view_func=lambda: "{}")
    return app


def _fewest(app: WSGIApplication, sent: Sequence[bytes]) -> int:
    """Returns the fewest bytecodes of some of the requests, after others have filled all caches."""
    turns = islice(cycle(sent), WARM_UP + COUNTED)
    return min([_bytecodes(app, _environ(one)) for one in turns][WARM_UP:])


def _bytecodes(app: WSGIApplication, environ: WSGIEnvironment) -> int:
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        _, status, _ = run_wsgi_app(app, environ)
    finally:
        sys.settrace(None)
    assert status.startswith("20"), (status, environ["PATH_INFO"])
    return count


def _environ(sent: bytes) -> WSGIEnvironment:
    head, _, body = sent.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _version = first.split(" ")
    headers = [tuple(line.split(": ", 1)) for line in lines]
    return EnvironBuilder(path, method=method, headers=headers, data=body).get_environ()  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
