"""Authenticates requests by their bearer token, and limits their rate (decisions, sections 2 and 3)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from flask import Flask, Response, current_app, g, request

from app.errors import CHALLENGE, RateLimited, Unauthorized
from app.http.concurrency import client_address
from app.http.credentials import bearer_secret, session_secret
from app.http.rate_limits import Hit, RateLimit
from app.http.requests import CALLER
from app.operations.access import Access
from app.operations.context import Caller, Context, this_instant
from app.operations.invitations import accept_invitation
from app.settings import Settings
from app.store.store import Store
from app.vocabulary import Channel, TokenKind

TOKEN_KINDS: Mapping[Channel, TokenKind | None] = {
    Channel.REST: TokenKind.MANAGEMENT,
    Channel.MCP: TokenKind.MANAGEMENT,
    Channel.GRAPHQL: TokenKind.DELIVERY,
    Channel.CONSOLE: None,
}
"""The kind of token that each interface takes; None for a session of the console."""


class Callers:
    """Authenticates callers, and refuses those that call or fail too often; the counts are those of this process."""

    def __init__(self, app: Flask, store: Store, settings: Settings, routes: Mapping[str, tuple[str, str]]) -> None:
        self.store = store
        self._access = Access(store)
        self.public_url = settings.public_url
        self.is_https = settings.is_https
        self._webhooks_allow_local = settings.webhooks_allow_local
        self._routes = routes
        self._per_token = RateLimit("token", settings.rate_limit) if settings.rate_limit else None
        self._failures = RateLimit("failure", settings.failed_auth_limit) if settings.failed_auth_limit else None
        app.extensions["callers"] = self
        app.after_request(self._add_rate_limit_headers)

    def context(self, channel: Channel) -> Context:
        """Returns the context of a request, made once: its caller, and its instant.

        Raises `Unauthorized`, and `RateLimited` where a token calls or an address fails too often.
        """
        now, g.channel = this_instant(), channel
        with self.counting_failures():
            caller = self._authenticate(now)
        request.environ[CALLER] = caller
        self._count(caller)
        return Context(
            self.store,
            caller,
            channel,
            now,
            address=lambda: self.address,
            webhooks_allow_local=self._webhooks_allow_local,
            routes=self._routes,
            callers_changed=self._access.look_up_again,
        )

    def check_again(self) -> None:
        """Raises `Unauthorized` when the token or session of a request that has waited is not valid any more."""
        self._authenticate(this_instant())

    def sign_in(self, secret: str) -> str:
        """Returns the secret of a new session for the holder of a management token; raises as `context` does."""
        now = this_instant()
        with self.counting_failures():
            self._count(self._access.authenticate(secret, TokenKind.MANAGEMENT, now))
            return self._access.open_session(secret, now)

    def accept_invitation(self, secret: str) -> str:
        """Returns the secret of the token that an invitation makes; raises as `context` does, and `ProjectFrozen`."""
        with self.counting_failures():
            return accept_invitation(self.store, secret, this_instant())

    def sign_out(self) -> None:
        """Ends the session of the request."""
        self._access.close_session(session_secret())

    @property
    def address(self) -> str:
        """The URL that this server is reached at: `PUBLIC_URL`, else the one of the request."""
        return self.public_url or request.url_root

    @contextmanager
    def counting_failures(self) -> Iterator[None]:
        """Counts a failed authentication inside the block; raises `RateLimited` where the address fails too often."""
        try:
            yield
        except Unauthorized:
            hit = self._failures.hit(client_address()) if self._failures else None
            if hit is None or hit.allowed:
                raise
            raise RateLimited(
                "Too many failed authentications from this address: check the token, and wait as many seconds as "
                "`Retry-After` says.",
                headers={"Retry-After": str(hit.reset_seconds), "WWW-Authenticate": CHALLENGE},
            ) from None

    def _authenticate(self, now: datetime) -> Caller:
        kind = TOKEN_KINDS[g.channel]
        return self._access.authenticate(bearer_secret() if kind else session_secret(), kind, now)

    def _count(self, caller: Caller) -> None:
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
