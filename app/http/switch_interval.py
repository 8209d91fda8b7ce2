"""Python's switch interval: how long a thread that computes keeps the GIL while others wait for it.

Each thread that waits for the GIL wakes after every interval to ask for it: with 200 threads that refuse requests and
1 ms, 200,000 times a second, which leaves little of a CPU for anything else. So the interval is longer while a burst of
requests has started many threads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask

from app.http import feed_watch
from app.http.in_flight import WORKING

FEW_SECONDS = 0.001
"""The interval with few threads. Measured beside four threads that compute: what a request does with six waits for
MongoDB takes 80 ms, and 450 ms with Python's default of 5 ms; the four do as much work as before."""
MANY_SECONDS = 0.005
"""The interval with many. Measured while 5,000 connections of one address send requests: the slowest request of others
takes half as long as with the other."""
MANY = 64
"""How many threads are many, beside those of requests that wait for a place at work or for an event. The process has 12
of its own, and 16 requests are at work at most; what is more has just begun, or is to be refused."""

THREADS = Path("/proc/self/task")
"""The folder with a folder for each thread of this process (Linux). Python itself does not know of threads that wait
for the GIL for the first time. granian ends those that have been idle for half a minute."""


class SwitchInterval:
    """WSGI middleware that sets the switch interval at the beginning of each request."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        threads = THREADS.stat().st_nlink - 2 - WORKING.waiting - feed_watch.waiting()
        sys.setswitchinterval(MANY_SECONDS if threads > MANY else FEW_SECONDS)
        return self._app(environ, start_response)


def install(app: Flask) -> None:
    """Sets the interval of this process, from now on at each request where the system says how many threads it has."""
    sys.setswitchinterval(FEW_SECONDS)
    if THREADS.exists():
        app.wsgi_app = SwitchInterval(app.wsgi_app)  # type: ignore[method-assign]
