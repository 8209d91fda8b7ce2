"""Refuses requests of a caller or an address that has too many waiting already, before Flask has any work with them.

granian hands requests over in the order in which they came. Flask refuses 3,000 a second: behind a flood of 5,000
requests, others would wait for seconds.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import orjson

from app.errors import ServiceUnavailable
from app.http import in_flight
from app.http.requests import request_id, security_headers
from app.settings import Settings

log = logging.getLogger("content_workflow.requests")

LOG_SECONDS = 1.0
"""How often the log says how many requests were refused; a line for each would take longer than refusing it."""


IN_ANOTHER_FORMAT = ("/graphql", "/delivery/")
"""Paths that Flask refuses: their errors have a format and CORS headers of their own."""


class RefuseEarly:
    """WSGI middleware that responds with 503 while as many requests of a caller or an address wait as may."""

    def __init__(self, app: WSGIApplication, settings: Settings) -> None:
        refusal = ServiceUnavailable(in_flight.WORKING.busy)
        self._app, self._body = app, orjson.dumps(refusal.body())
        self._headers = [
            *security_headers(settings),
            *refusal.headers.items(),
            ("Cache-Control", "no-store"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(self._body))),
        ]
        self._refused, self._logged_at = 0, 0.0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not in_flight.WORKING.waiting or not _is_too_much(environ):
            return self._app(environ, start_response)
        self._count()
        start_response("503 SERVICE UNAVAILABLE", [*self._headers, ("X-Request-Id", request_id(environ))])
        return [self._body]

    def _count(self) -> None:
        self._refused += 1
        now = time.monotonic()
        if now > self._logged_at + LOG_SECONDS:
            log.warning("too many requests of one caller", extra={"refused": self._refused})
            self._refused, self._logged_at = 0, now


def _is_too_much(environ: WSGIEnvironment) -> bool:
    path = environ.get("PATH_INFO", "")
    if path.endswith("/health") or path.startswith(IN_ANOTHER_FORMAT):
        return False
    address = in_flight.address(environ)
    return in_flight.WORKING.is_full(caller=in_flight.bearer_secret(environ) or address, address=address)
