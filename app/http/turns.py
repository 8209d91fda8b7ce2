"""How long a thread that computes holds up the others: longer when a burst of requests has started many threads.

Only one thread at a time runs Python. Each of the others wakes after every interval to ask for its turn: with 200
threads that refuse requests and 1 ms, 200,000 times a second, which leaves little of a CPU for anything else.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask

FEW_SECONDS = 0.001
"""The interval with few threads. Measured beside four threads that compute: what a request does with six waits for
MongoDB takes 80 ms, and 450 ms with Python's default of 5 ms; the four do as much work as before."""
MANY_SECONDS = 0.005
"""The interval with many. Measured while 5,000 connections of one address send requests: the 99th percentile of others
is half of what it is with the other."""
MANY = 90
"""How many threads of this process are many. No single token gets there: 72 of its requests are in flight at most."""

THREADS = Path("/proc/self/task")
"""The folder with a folder for each thread of this process (Linux). Python itself does not know of threads that wait
for their first turn. granian ends those that have been idle for half a minute."""


class TakeTurns:
    """WSGI middleware that sets the interval at the beginning of each request."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        threads = THREADS.stat().st_nlink - 2
        sys.setswitchinterval(MANY_SECONDS if threads > MANY else FEW_SECONDS)
        return self._app(environ, start_response)


def install(app: Flask) -> None:
    """Sets the interval of this process, from now on at each request where the system says how many threads it has."""
    sys.setswitchinterval(FEW_SECONDS)
    if THREADS.exists():
        app.wsgi_app = TakeTurns(app.wsgi_app)  # type: ignore[method-assign]
