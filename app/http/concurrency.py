"""Limits on the requests that a process works on at the same time (decisions, section 3).

A request over a limit is refused at once with 503 and `Retry-After`. Nothing waits here: requests that come faster
than they are answered wait in the server or in the proxy. `/health` has no limit.
"""

from flask import Flask, g, request

from app.http.credentials import bearer_secret, session_secret
from app.http.proxies import client_of
from app.http.requests import CALLER
from app.http.threads import THREADS
from app.operations.access import hash_of
from app.operations.concurrency import ConcurrencyLimit
from app.operations.context import Caller

REQUESTS = ConcurrencyLimit(
    128,
    each=64,
    busy="Too many requests at the same time: wait for some to be answered, then send this one again with the same "
    "idempotency key.",
)
"""Requests of a process, and of each token or session. More threads are left to refuse others and for `/health`."""
WAITING = ConcurrencyLimit(THREADS // 4, each=THREADS // 4, busy="Too many requests wait for events.")
"""Requests that wait for the next event: at most a quarter of the threads (decisions, section 14)."""
LARGE = ConcurrencyLimit(
    48 * 1024 * 1024,
    each=24 * 1024 * 1024,
    busy="Too many requests with large texts at the same time: wait for some to be answered, then send this one again "
    "with the same idempotency key.",
)
"""Bytes of large bodies and responses in a process, and of each project."""
LARGE_BYTES = 256 * 1024
"""Up to so many bytes, bodies and responses are not counted."""

HEALTH = ".getHealth"
"""The end of the names of the endpoints that respond while the process runs."""


def install(app: Flask) -> None:
    """Limits all requests to the app."""
    app.before_request(_begin)
    app.teardown_request(_release)


def _begin() -> None:
    g.held = []
    if not (request.endpoint or "").endswith(HEALTH):
        secret = bearer_secret() or session_secret()
        _hold(REQUESTS, hash_of(secret) if secret else client_address())


def hold_large(size: int) -> None:
    """Counts the bytes of a body or a response until the request ends, where they are many.

    Refuses with `ServiceUnavailable` while too many bytes of others are held.
    """
    if size > LARGE_BYTES:
        caller: Caller | None = request.environ.get(CALLER)
        _hold(LARGE, caller.project_id if caller else client_address(), size)


def wait_instead_of_working() -> None:
    """Counts the request among those that wait for events, and no longer among those that are worked on.

    Refuses with `ServiceUnavailable` where too many wait.
    """
    caller: Caller = request.environ[CALLER]
    WAITING.acquire(caller.project_id)
    _release()
    g.held = [(WAITING, caller.project_id, 1)]


def client_address() -> str:
    """Returns what limits count the address of the request under."""
    return client_of(request.remote_addr or "unknown")


def _hold(limit: ConcurrencyLimit, key: str, amount: int = 1) -> None:
    limit.acquire(key, amount)
    g.held.append((limit, key, amount))


def _release(_error: BaseException | None = None) -> None:
    held: list[tuple[ConcurrencyLimit, str, int]] = g.pop("held", [])
    for limit, key, amount in held:
        limit.release(key, amount)
