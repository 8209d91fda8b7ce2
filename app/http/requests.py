"""Gives every request its id, its line in the log, and the security headers (decisions, section 3)."""

import logging
import random
import re
import threading
import time
from wsgiref.types import WSGIEnvironment

from flask import Flask, Response, g, request

from app.errors import HttpApiDecodeError
from app.settings import Settings
from app.store.request_time import begin_request, end_request

log = logging.getLogger("content_workflow.requests")

SANE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

LOGGED_PATH = 1_000
"""How many characters of a path the log shows: 64 KB of any path may be sent without a token."""

MAX_HEADER = 8_192
"""How many characters the value of a header may have; 64 KB of some headers take 40 ms to parse."""

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}
HSTS = {"Strict-Transport-Security": "max-age=63072000"}


def install(app: Flask, settings: Settings) -> None:
    """Gives every request an id and a line in the log, and every response the headers."""
    headers = security_headers(settings)

    def finish(response: Response) -> Response:
        _set_headers(response, headers)
        if log.isEnabledFor(logging.INFO):
            _log(response)
        return response

    app.before_request(begin)
    app.after_request(finish)
    app.teardown_request(lambda _error: end_request())


def security_headers(settings: Settings) -> list[tuple[str, str]]:
    """Returns the headers that every response has; with HSTS where `PUBLIC_URL` is https."""
    is_https = settings.public_url.lower().startswith("https://")
    return list((SECURITY_HEADERS | (HSTS if is_https else {})).items())


def begin() -> None:
    """Gives the request its id, and starts the clock. Raises `HttpApiDecodeError` where a header is too long."""
    threading.current_thread()  # the server's threads are not Python's: now `threading.enumerate` has this one
    g.request_id = request_id(request.environ)
    g.began = time.perf_counter()
    begin_request()
    for name, value in request.environ.items():
        if isinstance(value, str) and len(value) > MAX_HEADER and name.startswith(("HTTP_", "CONTENT_")):
            header = name.removeprefix("HTTP_").replace("_", "-").title()
            raise HttpApiDecodeError(f"The header {header[:100]} is too long: send at most {MAX_HEADER:,} characters.")


def request_id(environ: WSGIEnvironment) -> str:
    """Returns the id in the request's header if it is valid, else a new one.

    The id is no secret. One from the system's generator would release the interpreter's lock and wait for it again:
    under load that takes as long as all the rest of this module.
    """
    given: str = environ.get("HTTP_X_REQUEST_ID", "")
    return given if SANE_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"


def _set_headers(response: Response, headers: list[tuple[str, str]]) -> None:
    """Adds the headers that every response has; those that a view set stay as they are."""
    present = {name.lower() for name, _ in response.headers}
    caching = ("Cache-Control", "private, no-cache" if "etag" in present else "no-store")
    added = [*headers, caching, ("X-Request-Id", g.request_id)]
    response.headers.extend([(name, value) for name, value in added if name.lower() not in present])


def _log(response: Response) -> None:
    """Writes the log line: never a secret, a body or a query.

    `log.info` would first find out which line of code calls it, which takes a quarter of the time of a log line.
    """
    caller = g.get("caller")
    line = {
        **{"name": log.name, "levelno": logging.INFO, "levelname": "INFO", "msg": "request"},
        "requestId": g.request_id,
        "method": request.method,
        "path": request.path[:LOGGED_PATH],
        "status": response.status_code,
        "durationMs": round((time.perf_counter() - g.began) * 1000, 1),
        "tokenId": caller.token_id if caller else None,
        "projectId": caller.project_id if caller else None,
    }
    log.handle(logging.makeLogRecord(line))
