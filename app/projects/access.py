"""Authentication: an interface passes the secret of a request and gets the caller (decisions, section 2)."""

import hashlib
import logging
import re
import secrets
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any, TypeVar

from cachetools import TTLCache

from app.core.context import Caller, this_instant
from app.core.errors import ServiceUnavailable, Unauthorized, or_raise, refusal_of
from app.core.store.indexes import FIRST_DATE
from app.core.store.store import Store
from app.core.vocabulary import Scope, TokenKind
from app.projects.rules import StoredProject, StoredToken
from app.projects.store import shortened
from app.projects.token_store import LAST_USED_LAG, Sessions, Tokens

log = logging.getLogger("content_workflow.access")

Made = TypeVar("Made", bound=Mapping[str, Any])
"""The stored form of a secret that has its maker."""
SESSION_LIFE = timedelta(hours=12)
"""How long a session of the console lasts."""
REMEMBERED_LIFE = timedelta(days=30)
"""How long one lasts in a browser that is to be remembered."""
CACHED_SECONDS = 3
"""How long a server may use a token that it looked up: revocations and freezes take effect at once on the server that
answers them, and within 5 s everywhere."""


def new_secret(kind: str) -> str:
    """Returns a fresh secret with 256 bits from the system's random number generator; `cwm_…` for `management`."""
    return f"cw{kind[0]}_" + secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """Returns the hash that is stored of a secret; with 256 random bits in it, a plain hash can't be turned back."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class _Found:
    """The token or session of a valid secret, as it was looked up."""

    kind: str | None
    """None for a session."""
    expires_at: datetime | None
    caller: Caller
    read_at: float
    """The value of `time.monotonic` before it was looked up."""


class Access:
    """Looks tokens and sessions up, and caches those that are valid for a few seconds."""

    def __init__(self, store: Store, cached_seconds: float = CACHED_SECONDS) -> None:
        self._store, self._cached_seconds = store, cached_seconds
        self._found: TTLCache[str, _Found] = TTLCache(10_000, cached_seconds)
        """Tokens and sessions that were looked up, by the hash of the secret."""
        self._changed: TTLCache[str, float] = TTLCache(10_000, cached_seconds)
        """When this server last changed a project's tokens, sessions or freeze, by the project's id."""
        self._lock = threading.Lock()

    def authenticate(self, secret: str, kind: str | None, now: datetime) -> Caller:
        """Returns the caller with a secret: of a token of that kind, or of a session where `kind` is None.

        Refuses with `Unauthorized`, with the same message and the same work for any invalid secret: an unknown one, one
        that was revoked, expired or replaced, and that of a session that ended, or whose token did.
        """
        secret_hash = hash_of(secret)
        with self._lock:
            found = self._found.get(secret_hash)
            if found is not None and self._is_outdated(found):
                found = None
        if found is None:
            with self._store.deadline():
                found = self._look_up(secret, secret_hash, kind, now)
            with self._lock:
                if not self._is_outdated(found):
                    self._found[secret_hash] = found
        if found.kind != kind or is_over(found.expires_at, now):
            raise Unauthorized
        return found.caller

    def open_session(self, secret: str, now: datetime, life: timedelta = SESSION_LIFE) -> str:
        """Returns the secret of a new session for the holder of a management token.

        Refuses with `Unauthorized` like `authenticate`, and the access token of a connection.
        """
        caller = self.authenticate(secret, TokenKind.MANAGEMENT, now)
        if "connection" in caller.token:
            raise Unauthorized
        return begin_session(self._store, caller.project_id, caller.token_id, hash_of(secret), now, life)

    def close_session(self, session: str) -> None:
        """Ends a session: at once on this server, within 5 s on every other."""
        project_id = project_of_secret(session)
        self._store[Sessions].take(project_id, hash_of(session), this_instant())
        self.look_up_again(project_id)

    def look_up_again(self, project_id: str) -> None:
        """Makes this server look up all tokens and sessions of a project again, after a change of one."""
        with self._lock:
            self._changed[project_id] = time.monotonic()

    def _is_outdated(self, found: _Found) -> bool:
        oldest = time.monotonic() - self._cached_seconds
        return found.read_at < max(oldest, self._changed.get(found.caller.project_id, oldest))

    def _look_up(self, secret: str, token_hash: str, kind: str | None, now: datetime) -> _Found:
        """Reads the token with a secret; of a session, its token, as long as the session lasts."""
        read_at, ends = time.monotonic(), []
        if kind is None:
            session = or_raise(self._store[Sessions].get(project_of_secret(secret), token_hash, now), Unauthorized)
            token_hash, ends = session["tokenHash"], [session["expiresAt"]]
        token, project = or_raise(self._store[Tokens].with_project(token_hash), Unauthorized)
        if expires_at := token.get("expiresAt"):
            ends.append(expires_at)
        for feature in self._store.features.features:
            if feature.secret_ends and (end := feature.secret_ends(self._store, token, now)):
                ends.append(end)
        expires_at = min(ends, default=None)
        if not is_in_force(token, now) or is_over(expires_at, now):
            raise Unauthorized
        caller = _caller_of(token, shortened(project))
        if (token.get("lastUsedAt") or FIRST_DATE) < now - LAST_USED_LAG:
            _after_requests.submit(_record_use, self._store, token, now)
        return _Found(kind and token["kind"], expires_at, caller, read_at)


_after_requests = ThreadPoolExecutor(1, "token-use")


def _record_use(store: Store, token: StoredToken, now: datetime) -> None:
    """Notes that a token was used, which no request waits for; without MongoDB the next use of it is noted."""
    try:
        with store.deadline():
            store[Tokens].record_use(token["projectId"], token["id"], now)
    except ServiceUnavailable as error:
        error.report(log)


def new_project_secret(project_id: str) -> str:
    """Returns a fresh secret that begins with its project's id, so that it is looked for in that project."""
    return f"{project_id}.{secrets.token_urlsafe(32)}"


def refuse_if_maker_ended(store: Store, project_id: str, made: Mapping[str, Any], now: datetime) -> None:
    """Refuses with `Unauthorized` a secret whose maker has ended, or has another secret than when it made it."""
    maker_id, secret_hash = made["createdBy"]["id"], made.get("tokenHash")
    if maker_id is None:  # the command line
        return
    token = store[Tokens].get(project_id, maker_id)
    if token is None or not is_in_force(token, now) or secret_hash not in (None, token["hash"]):
        raise Unauthorized
    for feature in store.features.features:
        if feature.secret_ends:
            feature.secret_ends(store, token, now)


def in_force(store: Store, project_id: str, made: Iterable[Made], now: datetime) -> list[Made]:
    """Returns those secrets whose makers have not ended."""

    @cache
    def maker_is_in_force(maker_id: str | None, secret_hash: str | None) -> bool:
        by_maker = {"createdBy": {"id": maker_id}, "tokenHash": secret_hash}
        return not refusal_of(partial(refuse_if_maker_ended, store, project_id, by_maker, now))

    return [one for one in made if maker_is_in_force(one["createdBy"]["id"], one.get("tokenHash"))]


def made_by(caller: Caller) -> dict[str, Any]:
    """Returns what a secret stores of its maker, with which it ends; a connection renews its own secret."""
    return {"createdBy": caller.actor, "tokenHash": None if "connection" in caller.token else caller.token_hash}


def no_later_than_maker(caller: Caller, until: datetime) -> datetime:
    """Returns when a secret expires: no later than the token that makes it."""
    return min(until, caller.token.get("expiresAt") or until)


def begin_session(
    store: Store, project_id: str, token_id: str | None, token_hash: str, now: datetime, life: timedelta = SESSION_LIFE
) -> str:
    """Returns the secret of a new session with a token: its project's id, a dot, 256 bits."""
    session = new_project_secret(project_id)
    token = {"tokenId": token_id, "tokenHash": token_hash}
    store[Sessions].add(project_id, hash_of(session), token, now, now + life)
    return session


def project_of_secret(secret: str) -> str:
    """Returns the id of the project that a secret begins with. Refuses with `Unauthorized`."""
    project_id = secret.partition(".")[0]
    if not re.fullmatch("[0-9a-f]{24}", project_id):
        raise Unauthorized
    return project_id


def _caller_of(token: StoredToken, project: StoredProject) -> Caller:
    return Caller(
        project_id=token["projectId"],
        team_id=project["teamId"],
        token_id=token["id"],
        name=token["name"],
        agent=token["agent"] or "",
        scopes=frozenset(Scope(scope) for scope in token["scopes"]),
        drafts=token["drafts"],
        project_name=project["name"],
        token=token,
        project=project,
        member_id=token.get("memberId"),
        token_hash=token["hash"],
    )


def is_over(expires_at: datetime | None, now: datetime) -> bool:
    """Returns whether something has expired; what has no end never does."""
    return expires_at is not None and expires_at <= now


def is_in_force(token: StoredToken | None, now: datetime) -> bool:
    """Returns whether there is a token, and it was neither revoked nor has expired."""
    return token is not None and token["revokedAt"] is None and not is_over(token.get("expiresAt"), now)
