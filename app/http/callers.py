"""Who calls over HTTP: the bearer token, and the limits on callers (decisions, sections 2 and 3)."""

import re
import time

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from limits import RateLimitItemPerMinute

from app.errors import RateLimited, Unauthorized
from app.http.windows import ProcessStorage
from app.operations.access import Access
from app.operations.context import Caller, Context, this_instant
from app.settings import Settings
from app.store.store import Store
from app.vocabulary import Channel, TokenKind

[COUNTS] = ProcessStorage.STORAGE_SCHEME
BEARER = re.compile(r"Bearer ([!-~]+)", re.IGNORECASE)


class Callers:
    """Tells who calls, and refuses who calls too often; counts in this process alone."""

    def __init__(self, app: Flask, store: Store, settings: Settings) -> None:
        self.store = store
        self._access = Access(store)
        self._webhooks_allow_local = settings.webhooks_allow_local
        limiter = Limiter(get_remote_address, storage_uri=f"{COUNTS}://")
        # Named as there already, it adds no hooks: they look for limits of views, of which there are none, for 0.1 ms.
        app.extensions.setdefault("limiter", set()).add(limiter)
        limiter.init_app(app)
        self._limits = limiter.limiter
        self._per_token = RateLimitItemPerMinute(settings.rate_limit) if settings.rate_limit else None
        self._failures = RateLimitItemPerMinute(settings.failed_auth_limit) if settings.failed_auth_limit else None
        app.extensions["callers"] = self
        app.after_request(self._tell_limit)

    def context(self, kind: TokenKind, channel: Channel) -> Context:
        """Returns the context of a request, made once: its caller, and its instant.

        Refuses with `Unauthorized`, and with `RateLimited` where a token calls or an address fails too often.
        """
        now = this_instant()
        try:
            caller = self._access.authenticate(bearer_secret(), kind, now)
        except Unauthorized:
            self._count_failure()
            raise
        g.caller = caller
        self._count(caller)
        return Context(self.store, caller, channel, now, webhooks_allow_local=self._webhooks_allow_local)

    def _count_failure(self) -> None:
        address = request.remote_addr or "unknown"
        if self._failures and not self._limits.hit(self._failures, "failure", address):
            reset = self._limits.get_window_stats(self._failures, "failure", address).reset_time
            raise RateLimited(
                "Too many failed authentications from this address: check the token, and wait as many seconds as "
                "`Retry-After` says.",
                headers={"Retry-After": str(_seconds_to(reset)), "WWW-Authenticate": "Bearer"},
            )

    def _count(self, caller: Caller) -> None:
        if self._per_token is None or caller.token_id is None:
            return
        allowed = self._limits.hit(self._per_token, "token", caller.token_id)
        stats = self._limits.get_window_stats(self._per_token, "token", caller.token_id)
        g.limit = (stats.remaining, _seconds_to(stats.reset_time))
        if not allowed:
            raise RateLimited(headers={"Retry-After": str(g.limit[1])})

    def _tell_limit(self, response: Response) -> Response:
        if self._per_token is not None and (limit := g.get("limit")):
            response.headers["RateLimit-Policy"] = f'"token";q={self._per_token.amount};w=60'
            response.headers["RateLimit"] = f'"token";r={limit[0]};t={limit[1]}'
        return response


def bearer_secret() -> str:
    """Returns the secret that the request hands in; empty where it hands in none."""
    header = BEARER.fullmatch(request.headers.get("Authorization", ""))
    return header[1] if header else ""


def callers() -> Callers:
    """Returns the app's `Callers`."""
    found: Callers = current_app.extensions["callers"]
    return found


def _seconds_to(instant: float) -> int:
    return max(1, int(instant - time.time()) + 1)
