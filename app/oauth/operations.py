"""Connecting by OAuth: registering clients, agreeing, and the secrets of a connection (decisions, section 16).

These are not operations of the catalogue: callers have no token yet, or exchange one secret for others. An accepted
connection is an ordinary token, which `list_tokens` shows and `revoke_token` ends.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast

import orjson
from cryptography.fernet import Fernet

from app.core.actors import SYSTEM, Actor
from app.core.context import Context
from app.core.errors import Problem, RateLimited, Unauthorized
from app.core.events import Event
from app.core.schemas.loading import Fields, check, load
from app.core.store.collection import new_id
from app.core.store.store import Store
from app.core.vocabulary import ActorType, Scope, TokenKind
from app.guards.budgets import budget_of
from app.guards.freezing import frozen_of
from app.guards.gates import refuse_if_frozen
from app.oauth.rules import (
    ACCESS_LIFE,
    CODE_LIFE,
    REPEAT_LIFE,
    UNUSED_LIFE,
    Client,
    ConnectedToken,
    Connection,
    RefreshAnswer,
    StoredCode,
    answer_to_repeat,
    client_of,
    with_answer,
)
from app.oauth.schemas import ClientMetadata, ConsentFields
from app.oauth.store import Codes, Connections, Registrations, granter_is_in_force
from app.projects.access import (
    hash_of,
    is_in_force,
    new_project_secret,
    new_secret,
    project_of_secret,
)
from app.projects.rules import NEW_TOKEN, StoredToken
from app.projects.store import Projects
from app.projects.token_store import Tokens

REFRESH = "cwr_"
"""Prefix of refresh tokens; then come the project's id, the part that stays, and the part that changes."""
REGISTRATIONS = 20
"""How many clients an address may register in an hour."""


def register_client(store: Store, metadata: Fields, address: str, now: datetime) -> Client:
    """Registers a client. Refuses with `HttpApiDecodeError`, and with `RateLimited` an address that registers many."""
    client, address = client_of(new_id(), load(ClientMetadata, metadata)), hash_of(address)
    own = {"id": client.id, "name": client.name, "uri": client.uri, "redirectUris": list(client.redirect_uris)}
    by = {"address": address, "createdAt": now, "expiresAt": now + UNUSED_LIFE}
    store[Registrations].register(own | by)
    # Counted with it, so that several at once can't pass the limit together.
    if store[Registrations].count(address, now - timedelta(hours=1)) > REGISTRATIONS:
        store[Registrations].remove(client.id)
        message = f"An address may register {REGISTRATIONS} clients an hour: use those, or wait."
        raise RateLimited(message, headers={"Retry-After": "3600"})
    return client


def registered_client(store: Store, client_id: str) -> Client | None:
    """Returns a client that registered itself; None for another id."""
    found = store[Registrations].get(client_id)
    return found and Client(found["id"], found["name"], found["uri"], tuple(found["redirectUris"]))


def scopes_to_give(ctx: Context, asked: list[Scope]) -> list[Scope]:
    """Returns those of the scopes that a client asks for that the caller can give: no more than they have.

    Callers with an agent's name or a budget can give none: a connection would bypass four eyes and the budget.
    """
    is_bounded = ctx.caller.agent or ctx.caller.token.get("budget")
    return [] if is_bounded else [scope for scope in asked if scope in ctx.caller.scopes]


def agree(ctx: Context, client: Client, redirect_uri: str, challenge: str, asked: list[Scope], fields: Fields) -> str:
    """Returns the code that the client exchanges for what the caller agreed to.

    Refuses with `BadRequest` a scope that was not asked for or that the caller can't give, and with `ProjectFrozen`.
    """
    refuse_if_frozen(ctx)
    beyond = {*fields["scopes"]} - {*scopes_to_give(ctx, asked)}
    lacking = Problem(field="scopes", message="Can't be more than the client asks for and your token allows.")
    check(ConsentFields, fields, *([lacking] if beyond else []))
    code = new_project_secret(ctx.project_id)
    granter = ctx.store[Tokens].get(ctx.project_id, ctx.token_id)
    ends = ctx.now + timedelta(days=fields["days"])
    own_end = granter and granter.get("expiresAt")
    token = {
        "name": client.name,
        "agent": fields["agent"],
        "scopes": [str(scope) for scope in asked if scope in fields["scopes"]],
        "budget": budget_of({"writesPerHour": fields["writesPerHour"]}),
        "client": {"id": client.id, "name": client.name, "uri": client.uri},
        "grantedBy": ctx.caller.actor,
        "grantedWith": ctx.caller.token_hash,
        "memberId": granter and granter.get("memberId"),
        "expiresAt": min(ends, own_end) if own_end else ends,
    }
    agreed = {"redirectUri": redirect_uri, "challenge": challenge, "token": token}
    ctx.store[Codes].add(ctx.project_id, hash_of(code), agreed, ctx.now, ctx.now + CODE_LIFE)
    return code


def take_code(store: Store, code: str, client_id: str, now: datetime) -> StoredCode | None:
    """Uses a code up and returns what was agreed to, inside a transaction.

    None if it has expired or belongs to another client, or the project was frozen since. If it was used before, also
    None, and the connection that it made is revoked.
    """
    project_id = _project_of(code)
    if project_id is None:
        return None
    agreed = store[Codes].take(project_id, hash_of(code), now)
    if agreed is None:
        made = store[Connections].by_secret(project_id, "code", hash_of(code))
        if made is not None:
            _revoke(store, made, SYSTEM, now)
        return None
    is_own = agreed["token"]["client"]["id"] == client_id and not _is_frozen_since(store, agreed)
    return agreed if is_own and granter_is_in_force(store, project_id, agreed["token"], now) else None


def _is_frozen_since(store: Store, agreed: StoredCode) -> bool:
    frozen = frozen_of(store[Projects].settings(agreed["projectId"]))
    return frozen is not None and frozen["at"] >= agreed["createdAt"]


def create_connection(store: Store, agreed: StoredCode, now: datetime) -> Mapping[str, Any]:
    """Creates the token that was agreed to, inside the transaction that took the code; the event is the person's."""
    project_id, own = agreed["projectId"], agreed["token"]
    family = new_project_secret(project_id)
    answer = _answer(family, own["scopes"], own["expiresAt"], now)
    connection: Connection = {
        "code": agreed["hash"],
        "family": hash_of(family),
        "refresh": hash_of(answer["refresh_token"]),
        "accessExpiresAt": now + ACCESS_LIFE,
        "answers": [],
    }
    made = {"connection": connection, "hash": hash_of(answer["access_token"]), "createdAt": now}
    store[Tokens].add(project_id, {**NEW_TOKEN, **own, **made}, Event("token.created", now, own["grantedBy"], {}))
    store[Registrations].keep(own["client"]["id"])
    return answer


def find_refreshable(store: Store, refresh_token: str, client_id: str, now: datetime) -> ConnectedToken | None:
    """Returns the connection of a client whose refresh token this is; None where it has ended or is another's.

    None too if it was used before, which revokes the connection, unless its response can be repeated.
    """
    found = _of_refresh_token(store, refresh_token)
    if found is None or not _is_of(found, client_id):
        return None
    if not is_in_force(found, now) or not granter_is_in_force(store, found["projectId"], found, now):
        return None
    sent, connection = hash_of(refresh_token), found["connection"]
    if sent != connection["refresh"] and not answer_to_repeat(connection, sent, now):
        _revoke(store, found, SYSTEM, now)
        return None
    return found


def refresh(store: Store, token: ConnectedToken, refresh_token: str, now: datetime) -> Mapping[str, Any]:
    """Returns new secrets of a connection, in place of those it had; within 10 s, the same again."""
    connection, sent = token["connection"], hash_of(refresh_token)
    key = Fernet(_key(refresh_token))
    if repeated := answer_to_repeat(connection, sent, now):
        again: Mapping[str, Any] = orjson.loads(key.decrypt(repeated["answer"]))
        return again
    family, _, _ = refresh_token.removeprefix(REFRESH).rpartition(".")
    ends = token["expiresAt"]
    assert ends is not None  # every connection has an end
    answer = _answer(family, token["scopes"], ends, now)
    stored: RefreshAnswer = {"refresh": sent, "until": now + REPEAT_LIFE, "answer": key.encrypt(orjson.dumps(answer))}
    renewed = {
        **connection,
        "refresh": hash_of(answer["refresh_token"]),
        "accessExpiresAt": now + ACCESS_LIFE,
        "answers": with_answer(connection, stored, now),
    }
    changed = {**token, "hash": hash_of(answer["access_token"]), "connection": renewed}
    store[Tokens].change(token["projectId"], token, changed, [])
    return answer


def end_connection(store: Store, secret: str, client_id: str, now: datetime) -> None:
    """Ends the connection of a client whose access or refresh token this is; anything else changes nothing."""
    found = _of_refresh_token(store, secret) or store[Tokens].by_hash(hash_of(secret))
    if found is not None and _is_of(found, client_id):
        by = Actor(type=ActorType.TOKEN, id=found["id"], name=found["name"], agent=found["agent"] or "")
        _revoke(store, found, by, now)


def _answer(family: str, scopes: list[str], ends: datetime, now: datetime) -> Mapping[str, Any]:
    """Returns what a client gets for a code or a refresh token (RFC 6749)."""
    lasts = min(ACCESS_LIFE, ends - now)
    return {
        "access_token": new_secret(TokenKind.MANAGEMENT),
        "token_type": "Bearer",
        "expires_in": max(1, int(lasts.total_seconds())),
        "refresh_token": f"{REFRESH}{family}.{secrets.token_urlsafe(32)}",
        "scope": " ".join(scopes),
    }


def _of_refresh_token(store: Store, secret: str) -> ConnectedToken | None:
    family, _, _ = secret.removeprefix(REFRESH).rpartition(".")
    project_id = _project_of(family) if secret.startswith(REFRESH) else None
    return None if project_id is None else store[Connections].by_secret(project_id, "family", hash_of(family))


def _project_of(secret: str) -> str | None:
    try:
        return project_of_secret(secret)
    except Unauthorized:
        return None


def _key(refresh_token: str) -> bytes:
    """Returns the key that encrypts the response to a refresh; the stored hash does not reveal it."""
    return base64.urlsafe_b64encode(hmac.digest(refresh_token.encode(), b"answer", hashlib.sha256))


def _is_of(token: StoredToken, client_id: str) -> bool:
    client = cast(ConnectedToken, token).get("client")
    return client is not None and client["id"] == client_id


def _revoke(store: Store, token: StoredToken, by: Actor, now: datetime) -> None:
    if token["revokedAt"] is None:
        store[Tokens].update(token["projectId"], token, {"revokedAt": now}, Event("token.revoked", now, by, {}))
