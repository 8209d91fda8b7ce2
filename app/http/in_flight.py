"""How many requests are worked on at once, in this process: of one token, from one address, and in sum.

A request holds a place: for its address, then for its token once that is known. It gives it back while its body is
received, and for good when its answer is ready to be sent. `/health` takes none. So what one token or address sends at
once, and what it sends or reads slowly, leaves threads for everybody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, g, request

from app.http.concurrency import ConcurrencyLimit, Place

WORKING = ConcurrencyLimit(
    16,
    per={"token": 4, "address": 8},
    waiting=64,
    seconds=10,
    busy="Too many requests are in flight: wait for some to be answered, then send this one again with the same "
    "idempotency key.",
)
"""Requests worked on at once: more of them gain nothing (`server_process.py`), nor does one token with more than 4."""

LARGE = ConcurrencyLimit(
    2,
    per={"token": 1},
    waiting=32,
    seconds=10,
    busy="Too many requests with large texts are in flight: wait for some to be answered, then send this one again "
    "with the same idempotency key.",
)
"""Requests with a large body or answer that are worked on at once: each may hold 100 MB of memory."""


HEALTH = ".getHealth"
"""How the endpoints end that answer whether the process lives; they do next to nothing."""


def install(app: Flask) -> None:
    """Has every request take a place, and give back what it holds when its answer is ready."""
    app.before_request(_begin)
    app.teardown_request(lambda _error: leave())


def _begin() -> None:
    if not (request.endpoint or "").endswith(HEALTH):
        g.place_at_work = WORKING.place(address=request.remote_addr or "unknown")


def enter() -> None:
    """Has the request count for its token, no more for its address.

    Raises `ServiceUnavailable` where the token has too many requests in flight.
    """
    g.place_at_work.release()
    g.place_at_work = WORKING.place(token=token())


@contextmanager
def receiving() -> Iterator[None]:
    """Gives the request's place back while its body is received, and takes one again after that."""
    g.place_at_work.release()
    yield
    enter()


def large() -> None:
    """Has the request take one of the few places for those with a large body or answer, and hold it from now on.

    Raises `ServiceUnavailable` where too many others wait for one.
    """
    if "place_for_large" not in g:
        g.place_at_work.release()
        g.place_for_large = LARGE.place(token=token())
        enter()


def token() -> str | None:
    """Returns the id of the request's token; None before its caller is known."""
    caller = g.get("caller")
    return caller.token_id if caller else None


def leave() -> None:
    """Gives back the places that the request holds."""
    for name in ("place_at_work", "place_for_large"):
        place: Place | None = g.pop(name, None)
        if place is not None:
            place.release()
