"""Gives every request its id, its line in the log, and the security headers (decisions, section 3)."""

import logging
import random
import re
import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Response, g, request

from app.errors import HttpApiDecodeError
from app.operations.context import Caller
from app.settings import Settings
from app.store.request_time import begin_request, end_request

Headers = list[tuple[str, str]]

log = logging.getLogger("content_workflow.requests")

SANE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

LOGGED_PATH = 40
"""The most characters that the log shows of a path without a route, which can be 64 KB of anything."""
SECRET = re.compile(r"(cw[a-z]_|whsec_)[^/]*|[\w-]{32,}")
"""What may be a secret in a path: what begins with the prefix of one, or is as long as one."""

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


def install(app: Flask) -> None:
    """Gives each request its id and its line in the log, before and after the app's other functions around it."""
    app.before_request(_begin)
    app.after_request(_end)
    app.teardown_request(lambda _error: end_request())


def with_security_headers(app: WSGIApplication, settings: Settings) -> WSGIApplication:
    """Returns a WSGI application that adds the headers of every response; those that a view set stay as they are.

    HSTS is one of them where `PUBLIC_URL` is https. Flask would look at each of them several times.
    """
    security = [*SECURITY_HEADERS.items(), *(HSTS.items() if settings.is_https else ())]

    def respond(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: Headers, exc_info: Any = None) -> Callable[[bytes], object]:
            present = {name.lower() for name, _ in headers}
            caching = ("Cache-Control", "private, no-cache" if "etag" in present else "no-store")
            added = [one for one in (*security, caching) if one[0].lower() not in present]
            return start_response(status, headers + added, exc_info)

        return app(environ, start)

    return respond


def _begin() -> None:
    """Begins a request; refuses one with a header that is too long, before anything else reads it."""
    g.began = time.perf_counter()
    g.request_id = _request_id(request.environ.get("HTTP_X_REQUEST_ID", ""))
    begin_request()
    for name, value in request.headers:
        if len(value) > MAX_HEADER:
            raise HttpApiDecodeError(f"The header {name[:100]} is too long: send at most {MAX_HEADER:,} characters.")


def _request_id(given: str) -> str:
    """Returns the id in the request's header if it is valid, else a new one.

    The id is no secret. One from the system's generator would release the interpreter's lock and wait for it again:
    under load that takes as long as all the rest of this module.
    """
    return given if SANE_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"


def logged_path() -> str:
    """Returns the route of the request; where there is none, the beginning of its path without what may be a secret."""
    if (rule := request.url_rule) is not None:
        return rule.rule
    return SECRET.sub(r"\1…", request.path[:MAX_HEADER])[:LOGGED_PATH]


def _end(response: Response) -> Response:
    """Tells the request's id, and writes the log line: never a secret, a body or a query."""
    response.headers["X-Request-Id"] = g.request_id
    if log.isEnabledFor(logging.INFO):
        _log(response)
    return response


def _log(response: Response) -> None:
    caller: Caller | None = g.get("caller")
    line = {
        "requestId": g.request_id,
        "method": request.method,
        "path": logged_path(),
        "status": response.status_code,
        "durationMs": round((time.perf_counter() - g.began) * 1000, 1),
        "tokenId": caller.token_id if caller else None,
        "projectId": caller.project_id if caller else None,
    }
    log.info("request", extra=line)
