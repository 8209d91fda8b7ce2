"""Authenticates requests, and limits how often and how many at a time each caller sends (decisions, sections 2 and 3).

A request over a limit is refused at once, with `Retry-After`. Nothing waits here: requests that come faster than they
are answered wait in the server or in the proxy. `/health` has no limit.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from flask import Flask, Response, current_app, g, request

from app.core.actors import Actor
from app.core.concurrency import ConcurrencyLimit
from app.core.context import Caller, Context, Server, this_instant
from app.core.errors import CHALLENGE, RateLimited, Unauthorized
from app.core.store.store import Store
from app.core.vocabulary import Channel, TokenKind
from app.http.proxies import client_of
from app.http.rate_limits import Hit, RateLimit, SharedRateLimit
from app.http.requests import CALLER, REFUSED
from app.http.threads import THREADS
from app.projects.access import SESSION_LIFE, Access, hash_of
from app.projects.invitations import accept_invitation, read_invitation
from app.settings import Settings

Visits = Callable[[Store, str, datetime], tuple[Context, str]]
"""Authenticates the secret of a visitor, and returns their context and the id of the document that they may see."""

BEARER = re.compile(r"Bearer +([!-~]+)", re.IGNORECASE)
SESSION_COOKIE = "cw_session"
"""The cookie with the secret of a session; browsers send it only to the paths of the console."""
SESSION = re.compile(rf"(?:^|;[ \t]*){SESSION_COOKIE}=([!#-:<-~]*)")

TOKEN_KINDS: Mapping[Channel, TokenKind | None] = {
    Channel.REST: TokenKind.MANAGEMENT,
    Channel.MCP: TokenKind.MANAGEMENT,
    Channel.GRAPHQL: TokenKind.DELIVERY,
    Channel.CONSOLE: None,
}
"""The kind of token that each interface takes; None for a session of the console."""

REQUESTS = ConcurrencyLimit(
    128,
    each=64,
    busy="Too many requests at the same time: wait for some to be answered, then send this one again with the same "
    "idempotency key.",
)
"""Requests of a process, and of each token or session. More threads are left to refuse others and for `/health`."""
WAITING = ConcurrencyLimit(THREADS // 4, each=THREADS // 4, busy="Too many requests wait for events.")
"""Requests that wait for the next event: at most a quarter of the threads (decisions, section 14)."""
STREAMS = ConcurrencyLimit(
    8, each=2, busy="Too many exports and imports at the same time: wait for one to end, then send this one again."
)
"""Exports and imports of a process, and of each project: each holds a file, and may take minutes."""
LARGE = ConcurrencyLimit(
    48 * 1024 * 1024,
    each=24 * 1024 * 1024,
    busy="Too many requests with large texts at the same time: wait for some to be answered, then send this one again "
    "with the same idempotency key.",
)
"""Bytes of large bodies and responses in a process, and of each project."""
LARGE_BYTES = 256 * 1024
"""Bodies and responses of up to this many bytes are not counted."""

HEALTH = ".getHealth"
"""The end of the names of the endpoints that respond while the process runs."""


class Callers:
    """Authenticates callers, and refuses those that call or fail too often."""

    def __init__(self, app: Flask, store: Store, settings: Settings) -> None:
        self.store = store
        self._access = Access(store)
        self.settings = settings
        self._server = Server(
            address=lambda: self.address,
            public_url=settings.public_url,
            base_path=settings.base_path,
            webhooks_allow_local=settings.webhooks_allow_local,
            facts=store.features.facts_of(settings),
            callers_changed=self._access.look_up_again,
        )
        self._per_token = RateLimit("token", settings.rate_limit) if settings.rate_limit else None
        self._failures = SharedRateLimit(settings.failed_auth_limit) if settings.failed_auth_limit else None
        app.extensions["callers"] = self
        app.before_request(_begin)
        app.teardown_request(_release)
        app.after_request(self._add_rate_limit_headers)

    def context(self, channel: Channel) -> Context:
        """Returns the context of a request, made once: the caller and the time of the request.

        Raises `Unauthorized`, and `RateLimited` where a token calls or an address fails too often.
        """
        now, g.channel = this_instant(), channel
        with self.counting_failures(_secret_of(channel)):
            caller = self._authenticate(now)
        self._count(caller)
        return Context(self.store, caller, channel, now, server=self._server)

    def of_kind(self, kind: str, secret: str, channel: Channel = Channel.REST) -> Context:
        """Returns the context of a caller whose secret is not where an interface has it; raises as `context` does."""
        now = this_instant()
        with self.counting_failures(secret):
            caller = self._access.authenticate(secret, kind, now)
        self._count(caller)
        return Context(self.store, caller, channel, now, server=self._server)

    def check_again(self) -> None:
        """Raises `Unauthorized` when the token or session of a request that has waited is not valid any more."""
        self._authenticate(this_instant())

    def sign_in(self, secret: str, life: timedelta = SESSION_LIFE) -> str:
        """Returns the secret of a new session for the holder of a management token; raises as `context` does."""
        now = this_instant()
        with self.counting_failures(secret):
            self._count(self._access.authenticate(secret, TokenKind.MANAGEMENT, now))
            return self._access.open_session(secret, now, life)

    def read_invitation(self, secret: str) -> tuple[str, str, Actor]:
        """Returns the names of an invitation's project and member, and who invited; raises as `context` does."""
        with self.counting_failures(secret):
            return read_invitation(self.store, secret, this_instant())

    def accept_invitation(self, secret: str) -> str:
        """Returns the secret of the token that an invitation makes; raises as `context` does, and `ProjectFrozen`."""
        with self.counting_failures(secret):
            return accept_invitation(self.store, secret, this_instant())

    def visit(self, authenticate: Visits, secret: str) -> tuple[Context, str]:
        """Returns the context of a visitor who has no token, and their document's id; raises as `context` does."""
        with self.counting_failures(secret):
            ctx, document_id = authenticate(self.store, secret, this_instant())
        self._count(ctx.caller)
        return replace(ctx, server=self._server), document_id

    def sign_out(self) -> None:
        """Ends the session of the request."""
        self._access.close_session(session_secret())

    @property
    def address(self) -> str:
        """The URL that this server is reached at: `PUBLIC_URL`, else the one of the request."""
        return self.settings.public_url or request.url_root

    @contextmanager
    def counting_failures(self, secret: str | None = None) -> Iterator[None]:
        """Counts a failed authentication inside the block; raises `RateLimited` where the address fails too often.

        The log has the beginning of the secret's hash, which the database has of each token.
        """
        try:
            yield
        except Unauthorized:
            request.environ[REFUSED] = hash_of(secret)[:8] if secret else None
            hit = self._failures.hit(client_address()) if self._failures else None
            if hit is None or hit.allowed:
                raise
            raise RateLimited(
                "Too many failed authentications from this address: check the token, and wait as many seconds as "
                "`Retry-After` says.",
                headers={"Retry-After": str(hit.reset_seconds), "WWW-Authenticate": CHALLENGE},
            ) from None

    def _authenticate(self, now: datetime) -> Caller:
        return self._access.authenticate(_secret_of(g.channel), TOKEN_KINDS[g.channel], now)

    def _count(self, caller: Caller) -> None:
        """Counts a request of an authenticated caller; raises `RateLimited` where the token calls too often."""
        request.environ[CALLER] = caller
        if self._per_token is None or caller.token_id is None:
            return
        g.rate_limit = hit = self._per_token.hit(caller.token_id)
        if not hit.allowed:
            raise RateLimited(
                f"Too many requests of this token: wait {hit.reset_seconds} s, then send the request again.",
                headers={"Retry-After": str(hit.reset_seconds)},
            )

    def _add_rate_limit_headers(self, response: Response) -> Response:
        hit: Hit | None = g.get("rate_limit")
        if self._per_token is not None and hit is not None:
            response.headers.add("RateLimit-Policy", self._per_token.policy)
            response.headers.add("RateLimit", f'"token";r={hit.remaining};t={hit.reset_seconds}')
        return response


def callers() -> Callers:
    """Returns the app's `Callers`."""
    found: Callers = current_app.extensions["callers"]
    return found


def bearer_secret() -> str:
    """Returns the secret in the `Authorization` header; empty where there is none."""
    header = BEARER.fullmatch(request.environ.get("HTTP_AUTHORIZATION", ""))
    return header[1] if header else ""


def session_secret() -> str:
    """Returns the secret of the console session in the cookie; empty where there is none.

    It is read without parsing all cookies, as that takes milliseconds for a header of 8 KB.
    """
    cookie = SESSION.search(request.environ.get("HTTP_COOKIE", ""))
    return cookie[1] if cookie else ""


def _secret_of(channel: Channel) -> str:
    return bearer_secret() if TOKEN_KINDS[channel] else session_secret()


def _begin() -> None:
    g.held = []
    if not (request.endpoint or "").endswith(HEALTH):
        secret = bearer_secret() or session_secret()
        _hold(REQUESTS, hash_of(secret) if secret else client_address())


def hold_large(size: int) -> None:
    """Counts the bytes of a large body or response until the request ends.

    Refuses with `ServiceUnavailable` while too many bytes of others are held.
    """
    if size > LARGE_BYTES:
        caller: Caller | None = request.environ.get(CALLER)
        _hold(LARGE, caller.project_id if caller else client_address(), size)


def hold_stream() -> None:
    """Counts the request among exports and imports until it ends; refuses with `ServiceUnavailable` over the limit."""
    caller: Caller = request.environ[CALLER]
    _hold(STREAMS, caller.project_id)


def wait_instead_of_working() -> None:
    """Counts the request among those that wait for events, and no longer among those that are worked on.

    Refuses with `ServiceUnavailable` where too many wait.
    """
    caller: Caller = request.environ[CALLER]
    WAITING.acquire(caller.project_id)
    _release()
    g.held = [(WAITING, caller.project_id, 1)]


def client_address() -> str:
    """Returns the key under which limits count the address of the request."""
    return client_of(request.remote_addr or "unknown")


def _hold(limit: ConcurrencyLimit, key: str, amount: int = 1) -> None:
    limit.acquire(key, amount)
    g.held.append((limit, key, amount))


def _release(_error: BaseException | None = None) -> None:
    held: list[tuple[ConcurrencyLimit, str, int]] = g.pop("held", [])
    for limit, key, amount in held:
        limit.release(key, amount)
