"""Limits how many requests are in flight in this process: per token, per project, per address, and in total.

A request takes a place under the secret that it sends, valid or not, or else under its address; and, where the secret
was valid in the last minute or once it is authenticated, under the project, which may have any number of tokens. Until
then all count together, as one project. It gives the place back while its body is received, and finally when its
response is ready to be sent. `/health` takes none. So a caller that sends many requests, or sends and reads slowly,
leaves threads for all others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.types import WSGIEnvironment

from flask import Flask, g, request

from app.errors import ServiceUnavailable
from app.http.concurrency import Bound, ConcurrencyLimit, Place
from app.http.proxies import client_of

WORKING = ConcurrencyLimit(
    Bound(16, waiting=224),
    caller=Bound(4, waiting=64, alone=8),
    project=Bound(8, waiting=104),
    address=Bound(12, waiting=96),
    seconds=10,
    busy="Too many requests are in flight: wait for some to be answered, then send this one again with the same "
    "idempotency key.",
)
"""Requests in flight: more of them are not faster (`server_process.py`). A hundred agents of one project may ask at
once; they, and as many more that are still to be authenticated, leave room in the queue for others. Beside other
callers, one has 4, as more make them slower. Alone it has 8: where all 4 are taken, each request has to wake the next,
and 8 connections get up to a quarter fewer answers a second."""

LARGE = ConcurrencyLimit(
    Bound(2, waiting=24),
    project=Bound(1, waiting=16),
    seconds=10,
    busy="Too many requests with large texts are in flight: wait for some to be answered, then send this one again "
    "with the same idempotency key.",
)
"""Requests in flight with a large body or response: each may hold 100 MB of memory."""


BEARER = re.compile(r"Bearer +([!-~]+)", re.IGNORECASE)

SESSION_COOKIE = "cw_session"
"""The cookie with the secret of a session; browsers send it only to the paths of the console."""

VALID_SECONDS = 60
"""How long after a secret was valid its next requests count under its project before they are authenticated."""
MOST_SECRETS = 10_000
_projects: dict[str, tuple[str, float]] = {}
"""The projects of secrets that were valid, and until when they count."""
NO_PROJECT = "none"
"""What requests count under whose project is not known: with addresses enough they could be all that may wait."""

SESSION = re.compile(rf"(?:^|;[ \t]*){SESSION_COOKIE}=([!#-:<-~]*)")

HEALTH = ".getHealth"
"""The end of the names of the endpoints that respond while the process runs; they take no place."""

REFUSED = "content_workflow.refused"
"""Where a WSGI environment has this key, its request is refused (`overload.py`)."""


class InFlight:
    """The places that a request holds, and the keys that it counts under: its caller, address and project."""

    def __init__(self, environ: WSGIEnvironment) -> None:
        self.keys = identify(environ)
        self._working: Place | None = None
        self._large: Place | None = None

    def work(self) -> None:
        """Takes a place under its keys, instead of the one that it holds."""
        self._working = WORKING.place(self._working, **self.keys)

    def pause(self) -> None:
        """Gives its place back until it works again."""
        if self._working is not None:
            self._working.release()

    def belongs_to(self, project_id: str) -> None:
        """Counts the request, and the next ones with its secret, under its project.

        Raises `ServiceUnavailable` where too many other requests of the project wait for a place.
        """
        if len(_projects) >= MOST_SECRETS:
            _projects.clear()
        _projects[self.keys["caller"]] = project_id, time.monotonic() + VALID_SECONDS
        if self.keys["project"] != project_id:
            self.keys["project"] = project_id
            self.work()

    def take_large(self) -> None:
        """Takes one of the few places for requests with a large body or response, and holds it until it leaves.

        It waits for it without its place at work. Raises `ServiceUnavailable` where too many others wait for one.
        """
        if self._large is None:
            self.pause()
            self._large = LARGE.place(project=self.keys["project"])
            self.work()

    def leave(self) -> None:
        """Gives back all of its places."""
        self.pause()
        if self._large is not None:
            self._large.release()
            self._large = None

    @contextmanager
    def absent(self) -> Iterator[None]:
        """Gives its places back while its body is received or it waits for an event, and takes one again after that."""
        self.leave()
        yield
        self.work()


def install(app: Flask) -> None:
    """Makes every request take a place, and give back the places that it holds when its response is ready."""
    app.before_request(_begin)
    app.teardown_request(_end)


def _begin() -> None:
    environ = request.environ
    g.in_flight = this = InFlight(environ)
    if REFUSED in environ:
        raise ServiceUnavailable(WORKING.busy)
    if not (request.endpoint or "").endswith(HEALTH):
        this.work()


def _end(_error: BaseException | None) -> None:
    if "in_flight" in g:
        current().leave()


def current() -> InFlight:
    """Returns what the request at hand holds."""
    this: InFlight = g.in_flight
    return this


def identify(environ: WSGIEnvironment) -> dict[str, str]:
    """Returns what identifies a caller before authentication: its secret, or else its address; the address; and the
    project, where the secret was valid in the last minute."""
    address = client_of(environ.get("REMOTE_ADDR") or "unknown")
    caller = bearer_secret(environ) or session_secret(environ) or address
    project_id, until = _projects.get(caller, (NO_PROJECT, 0))
    return {"caller": caller, "address": address, "project": project_id if until > time.monotonic() else NO_PROJECT}


def bearer_secret(environ: WSGIEnvironment | None = None) -> str:
    """Returns the secret in the `Authorization` header of this request, or of another; empty where there is none."""
    header = BEARER.fullmatch((environ or request.environ).get("HTTP_AUTHORIZATION", ""))
    return header[1] if header else ""


def session_secret(environ: WSGIEnvironment | None = None) -> str:
    """Returns the secret of the console session in the cookie of this request, or of another; empty where none is.

    It is read without parsing all cookies, as that takes milliseconds for a header of 8 KB.
    """
    cookie = SESSION.search((environ or request.environ).get("HTTP_COOKIE", ""))
    return cookie[1] if cookie else ""
