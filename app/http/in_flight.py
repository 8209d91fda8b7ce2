"""How many requests are worked on at once, in this process: of one token, from one address, and in sum.

A request holds a place under the secret that it brings, whether that is a token's or not, or under its address. It
gives the place back while its body is received, and for good when its answer is ready to be sent. `/health` takes none.
So what one caller sends at once, and what it sends or reads slowly, leaves threads for everybody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, g, request

from app.http.concurrency import Bound, ConcurrencyLimit, Place

WORKING = ConcurrencyLimit(
    Bound(16, waiting=256),
    caller=Bound(4, waiting=64),
    address=Bound(12, waiting=128),
    seconds=10,
    busy="Too many requests are in flight: wait for some to be answered, then send this one again with the same "
    "idempotency key.",
)
"""Requests worked on at once: more of them gain nothing (`server_process.py`), nor does one caller with more than 4."""

LARGE = ConcurrencyLimit(
    Bound(2, waiting=64),
    caller=Bound(1, waiting=32),
    seconds=10,
    busy="Too many requests with large texts are in flight: wait for some to be answered, then send this one again "
    "with the same idempotency key.",
)
"""Requests with a large body or answer that are worked on at once: each may hold 100 MB of memory."""


BEARER = re.compile(r"Bearer +([!-~]+)", re.IGNORECASE)

SESSION_COOKIE = "cw_session"
"""The cookie with the secret of a session; browsers send it to the console's paths alone."""

HEALTH = ".getHealth"
"""How the endpoints end that answer whether the process lives; they do next to nothing."""


def install(app: Flask) -> None:
    """Has every request take a place, and give back what it holds when its answer is ready."""
    app.before_request(_begin)
    app.teardown_request(lambda _error: leave())


def _begin() -> None:
    if not (request.endpoint or "").endswith(HEALTH):
        _work()


@contextmanager
def receiving() -> Iterator[None]:
    """Gives the request's place back while its body is received, and takes one again after that."""
    g.place_at_work.release()
    yield
    _work()


@contextmanager
def absent() -> Iterator[None]:
    """Gives the request's place back while it waits for what others do, and takes one again after that."""
    leave()
    yield
    _work()


def large() -> None:
    """Has the request take one of the few places for those with a large body or answer, and hold it from now on.

    Raises `ServiceUnavailable` where too many others wait for one.
    """
    if "place_for_large" not in g:
        g.place_at_work.release()
        g.place_for_large = LARGE.place(caller=caller())
        _work()


def _work() -> None:
    g.place_at_work = WORKING.place(caller=caller(), address=address())


def caller() -> str:
    """Returns what identifies a caller before authentication: its secret, or else its address."""
    return bearer_secret() or session_secret() or address()


def address() -> str:
    """Returns the address of the caller."""
    return request.remote_addr or "unknown"


def bearer_secret() -> str:
    """Returns the secret in the request's `Authorization` header; empty where there is none."""
    header = BEARER.fullmatch(request.headers.get("Authorization", ""))
    return header[1] if header else ""


def session_secret() -> str:
    """Returns the secret of the console's session that the request brings; empty where it brings none."""
    return request.cookies.get(SESSION_COOKIE, "")


def leave() -> None:
    """Gives back the places that the request holds."""
    for name in ("place_at_work", "place_for_large"):
        place: Place | None = g.pop(name, None)
        if place is not None:
            place.release()
