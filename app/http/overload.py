"""Refuses requests of a caller or an address that has too many waiting already, before Flask has any work with them.

granian hands requests over in the order in which they came. Flask refuses 3,000 a second: behind a flood of 5,000
requests, others would wait for seconds.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from typing import Any, NamedTuple
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug import Response
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from app.http import connections, in_flight
from app.http.requests import request_id

log = logging.getLogger("content_workflow.requests")

LOG_SECONDS = 1.0
"""How often the log says how many requests were refused; a line for each would take longer than refusing it."""

CLOSE = ("Connection", "close")
"""Has granian close the connection, which an application has no other way to ask for. A client that comes back at once
has to connect again: fewer requests are before those of others."""

DECISIVE = (
    "HTTP_ACCEPT",
    "HTTP_ACCEPT_ENCODING",
    "HTTP_ACCESS_CONTROL_REQUEST_HEADERS",
    "HTTP_ACCESS_CONTROL_REQUEST_METHOD",
    "HTTP_HX_REQUEST",
    "HTTP_ORIGIN",
)
"""The headers that the format of a refusal depends on; Flask sees no others, so that one never decides for the next."""

LONGEST_HEADER = 1_000
"""How many characters of such a header are read; browsers send about a hundred."""

MOST_FORMATS = 100
"""How many different refusals Flask makes a second; requests beyond them get that of a path that does not exist."""
NOWHERE: dict[str, Any] = {"REQUEST_METHOD": "GET", "PATH_INFO": "/-", "QUERY_STRING": ""}

LONGEST_PATH = 500
"""How many characters of a path are compared with the routes; none is longer."""


class _Refusal(NamedTuple):
    status: str
    headers: list[tuple[str, str]]
    body: bytes


class RefuseEarly:
    """WSGI middleware that responds with 503 while as many requests of a caller or an address wait as may.

    Flask makes the first refusal of each format, so that each interface refuses in its own; the others are copies.
    """

    def __init__(self, app: WSGIApplication, routes: Map) -> None:
        self._app, self._routes = app, routes.bind("")
        self._refusals: dict[tuple[Any, ...], _Refusal] = {}
        self._lock = threading.Lock()
        self._refused, self._logged_at = 0, 0.0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        limit = in_flight.WORKING
        if not limit.waiting or not limit.is_full(**in_flight.identify(environ)):
            return self._app(environ, start_response)
        endpoint = self._endpoint(environ)
        if endpoint.endswith(in_flight.HEALTH):
            return self._app(environ, start_response)
        self._count()
        status, headers, body = self._refusal(environ, endpoint)
        start_response(status, [*headers, ("X-Request-Id", request_id(environ)), CLOSE])
        return [body]

    def _endpoint(self, environ: WSGIEnvironment) -> str:
        """Returns the endpoint that serves the request; empty where none does."""
        try:
            return str(self._routes.match(environ.get("PATH_INFO", "")[:LONGEST_PATH], environ["REQUEST_METHOD"])[0])
        except HTTPException:
            return ""

    def _refusal(self, environ: WSGIEnvironment, endpoint: str) -> _Refusal:
        query = environ.get("QUERY_STRING", "")
        query = query if "dryRun" in query else ""
        decisive = {name: value for name in DECISIVE if 0 < len(value := environ.get(name, "")) <= LONGEST_HEADER}
        key = (environ["REQUEST_METHOD"], endpoint, query, *map(decisive.get, DECISIVE))
        if found := self._refusals.get(key):
            return found
        with self._lock:
            if len(self._refusals) >= MOST_FORMATS and key not in self._refusals:
                environ, decisive, key = {**environ, **NOWHERE}, {}, ()
            refusal = self._refusals.get(key) or self._made_by_flask(environ, decisive)
            if refusal.status.startswith("503"):  # else Flask failed to refuse: the next request tries again
                self._refusals[key] = refusal
            return refusal

    def _made_by_flask(self, environ: WSGIEnvironment, decisive: dict[str, str]) -> _Refusal:
        others = {name: value for name, value in environ.items() if not name.startswith(("HTTP_", "CONTENT_"))}
        response = Response.from_app(self._app, {**others, **decisive, in_flight.REFUSED: True})
        headers = [(name, value) for name, value in response.headers if name != "X-Request-Id"]
        return _Refusal(response.status, headers, response.get_data())

    def _count(self) -> None:
        self._refused += 1
        now = time.monotonic()
        if now > self._logged_at + LOG_SECONDS:
            refused, self._refused, self._logged_at = self._refused, 0, now  # first, or 200 threads log while one does
            connections.look_often()
            log.warning("too many requests of one caller", extra={"refused": refused})
            with self._lock:
                if len(self._refusals) >= MOST_FORMATS:
                    self._refusals.clear()
