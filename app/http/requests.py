"""Around every request: its id, its line in the log, and the security headers (decisions, section 3)."""

import logging
import random
import re
import time

from flask import Flask, Response, g, request

log = logging.getLogger("content_workflow.requests")

SANE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Strict-Transport-Security": "max-age=63072000",
}


def install(app: Flask) -> None:
    """Gives every request an id and a line in the log, and every response the headers."""
    app.before_request(begin)
    app.after_request(finish)


def begin() -> None:
    """Takes the request's id if it is sane, else makes one, and starts the clock.

    The id is no secret. One from the system's generator would have every request wait for the other threads once more:
    under load that takes as long as all the rest of this module.
    """
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if SANE_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"
    g.began = time.perf_counter()


def finish(response: Response) -> Response:
    """Sets the headers that every response has, and writes the log line: never a secret, a body or a query."""
    response.headers["X-Request-Id"] = g.request_id
    present = {name.lower() for name in response.headers.keys()}  # noqa: SIM118  # of headers, iterating gives pairs
    for name, value in SECURITY_HEADERS.items():
        if name.lower() not in present:
            response.headers.add(name, value)  # `setdefault` would look through all of them each time
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "private, no-cache" if "ETag" in response.headers else "no-store"
    if log.isEnabledFor(logging.INFO):
        _log(response)
    return response


def _log(response: Response) -> None:
    caller = g.get("caller")
    log.info(
        "request",
        extra={
            "requestId": g.request_id,
            "method": request.method,
            "path": request.path,
            "status": response.status_code,
            "durationMs": round((time.perf_counter() - g.began) * 1000, 1),
            "tokenId": caller.token_id if caller else None,
            "projectId": caller.project_id if caller else None,
        },
    )
