"""Gives every request its id, its line in the log, and the security headers (decisions, section 3)."""

import logging
import random
import re
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Request, request
from werkzeug.wsgi import get_path_info

from app.core.context import Caller
from app.core.errors import HttpApiDecodeError, Issue, Refusal
from app.core.store.request_time import begin_request, end_request
from app.settings import Settings

Headers = list[tuple[str, str]]

log = logging.getLogger("content_workflow.requests")

SANE_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

ID = "content_workflow.request_id"
"""The key of a request's id in its WSGI environment."""
CALLER = "content_workflow.caller"
"""The key of its `Caller` there, once it is authenticated."""
REFUSED = "content_workflow.refused"
"""The key there of the beginning of the hash of a secret that was refused."""
REFUSAL = "content_workflow.refusal"
"""The key there of the `_tag` of the refusal that is the response, or in it."""

LOGGED_PATH = 40
"""Maximum number of characters that the log shows of a path without a route, which can be 64 KB of anything."""
SECRET = re.compile(r"(cw[a-z]_|whsec_)[^/]*|[\w-]{32,}")
"""Possible secrets in a path: text that begins with the prefix of one, or is as long as one."""

HEADERS = ("HTTP_", "CONTENT_")
"""The beginnings of the keys of headers in a WSGI environment."""
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


class Requests:
    """WSGI middleware that gives each request its id and its line in the log, and each response the headers.

    HSTS is one of them where `PUBLIC_URL` is https.
    """

    def __init__(self, app: WSGIApplication, settings: Settings) -> None:
        self._app, self._log_addresses = app, settings.log_addresses
        self._headers = list((SECURITY_HEADERS | (HSTS if settings.is_https else {})).items())

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.perf_counter()
        environ[ID] = request_id(environ)

        def respond(status: str, headers: Headers, exc_info: Any = None) -> Callable[[bytes], object]:
            if log.isEnabledFor(logging.INFO):
                address = {"address": environ.get("REMOTE_ADDR")} if self._log_addresses else {}
                _log(environ, status, time.perf_counter() - began, address)
            return start_response(status, self._completed(headers, environ[ID]), exc_info)

        begin_request()
        try:
            return self._app(environ, respond)
        finally:
            end_request()

    def _completed(self, headers: Headers, request_id: str) -> Headers:
        """Returns the headers with those that every response has; those that a view set stay as they are."""
        present = {name.lower() for name, _ in headers}
        caching = ("Cache-Control", "private, no-cache" if "etag" in present else "no-store")
        added = [*self._headers, caching, ("X-Request-Id", request_id)]
        return headers + [one for one in added if one[0].lower() not in present]


def install(app: Flask) -> None:
    """Refuses requests with a header that is too long, or a query that is no text, before anything else reads it."""
    app.before_request(_check_headers)
    app.before_request(_check_query)


def _check_headers() -> None:
    for key, value in request.environ.items():
        if key.startswith(HEADERS) and len(value) > MAX_HEADER:
            name = key.removeprefix("HTTP_").replace("_", "-").title()[:100]
            message = f"The header {name} is too long: send at most {MAX_HEADER:,} characters."
            raise HttpApiDecodeError(message, issues=[Issue(path=name, message=message)])


def _check_query() -> None:
    if not _is_text(request.query_string):
        wrong = next(pair for pair in request.query_string.split(b"&") if not _is_text(pair))
        name = unquote_to_bytes(wrong.partition(b"=")[0]).decode(errors="replace")[:100]
        message = "The query is not in UTF-8: encode it before you escape it with %."
        raise HttpApiDecodeError(message, issues=[Issue(path=name, message=message)])


def _is_text(escaped: bytes) -> bool:
    try:
        unquote_to_bytes(escaped).decode()
    except UnicodeDecodeError:
        return False
    return True


def request_id(environ: WSGIEnvironment) -> str:
    """Returns the id in the request's header if it is valid, else a new one.

    The id is no secret. One from the system's generator would release the interpreter's lock and wait for it again:
    under load that takes as long as all the rest of this module.
    """
    given: str = environ.get("HTTP_X_REQUEST_ID", "")
    return given if SANE_ID.fullmatch(given) else f"{random.getrandbits(128):032x}"


def current_request_id() -> str:
    """Returns the id of the request at hand."""
    found: str = request.environ[ID]
    return found


def note_refusal(refusal: Refusal, environ: WSGIEnvironment | None = None) -> None:
    """Has the log line of a request, by default the one at hand, show which refusal the caller gets."""
    (environ or request.environ)[REFUSAL] = refusal.tag


def logged_path(environ: WSGIEnvironment) -> str:
    """Returns the route of a request; where there is none, the beginning of its path without what may be a secret."""
    found = environ.get("werkzeug.request")  # Flask's, once it has the request
    if isinstance(found, Request) and found.url_rule is not None:
        return found.url_rule.rule
    return SECRET.sub(r"\1…", get_path_info(environ)[:MAX_HEADER])[:LOGGED_PATH]


def _log(environ: WSGIEnvironment, status: str, seconds: float, address: dict[str, Any]) -> None:
    """Writes the log line: never a secret, a body or a query."""
    caller: Caller | None = environ.get(CALLER)
    line = {
        "requestId": environ[ID],
        "method": environ["REQUEST_METHOD"],
        "path": logged_path(environ),
        "status": int(status[:3]),
        "durationMs": round(seconds * 1000, 1),
        **({"refusal": environ[REFUSAL]} if REFUSAL in environ else {}),
        "tokenId": caller.token_id if caller else None,
        "projectId": caller.project_id if caller else None,
        **({"refusedHash": environ[REFUSED]} if environ.get(REFUSED) else {}),
        **address,
    }
    log.info("request", extra=line)
