"""Sessions of members who signed in with an OpenID provider (decisions, section 16).

These are not operations of the catalogue: a person who signs in has no token yet.
"""

from collections.abc import Sequence
from datetime import datetime

from app.core.actors import SYSTEM
from app.core.events import Event
from app.core.store.store import Store
from app.core.vocabulary import Scope, TokenKind
from app.projects.access import begin_session, hash_of, new_secret
from app.projects.rules import NEW_TOKEN, USUAL_SCOPES, StoredMember
from app.projects.store import Members
from app.projects.token_store import Tokens


def members_with_email(store: Store, email: str) -> list[StoredMember]:
    """Returns the members of all projects who have an e-mail address: exactly, but for the case of ASCII.

    Other letters that are equal without their case, like ß and ss, are those of somebody else's address.
    """
    found = store[Members].with_email(email)
    return [one for one in found if _without_case(one.get("email") or "") == _without_case(email)]


def _without_case(email: str) -> str:
    return email.lower() if email.isascii() else email


def sign_in_member(store: Store, member: StoredMember, scopes: Sequence[Scope], now: datetime) -> str:
    """Returns the secret of a new session of a member, with a token of theirs whose secret nobody knows.

    The token is made at the first time, and again where the scopes that members have, or the member's role, changed.
    """
    project_id, usual = member["projectId"], USUAL_SCOPES[member["role"]]
    granted = [str(scope) for scope in usual if scope in scopes]

    def sign_in(store: Store) -> str:
        token = store[Tokens].of_member(project_id, member["id"], oidc=True)
        if token is not None and token["scopes"] != granted:
            store[Tokens].update(project_id, token, {"revokedAt": now}, Event("token.revoked", now, SYSTEM, {}))
            token = None
        if token is None:
            own = {"name": member["name"], "scopes": granted, "memberId": member["id"], "oidc": True, "createdAt": now}
            record = {**NEW_TOKEN, **own, "hash": hash_of(new_secret(TokenKind.MANAGEMENT))}
            token = store[Tokens].add(project_id, record, Event("token.created", now, SYSTEM, {}))
        return begin_session(store, project_id, token["id"], token["hash"], now)

    return store.in_transaction(sign_in)
