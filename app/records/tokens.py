"""Token records; the secret is in the answer that made it and nowhere else (decisions, section 2)."""

from typing import Any

from app.records.kinds import Record, flag, record_id, text, texts, time
from app.rules.times import wire_time, wire_time_or_none
from app.rules.tokens import StoredToken
from app.vocabulary import Scope, TokenKind


class TokenRecord(Record):
    """A token, without its secret."""

    id = record_id("the token's id")
    kind = text("which API it opens", one_of=TokenKind)
    name = text("what or who uses it", example="Night writer")
    agent = text("the agent that uses it", null=True, example="writer-1")
    scopes = texts("what it may do; empty for a delivery token", one_of=Scope, example=["read", "write"])
    drafts = flag("a delivery token: may it see documents that are not published?")
    createdAt = time("when it was made")
    expiresAt = time("when it stops working", null=True)
    lastUsedAt = time("when it was last used; may lag a minute", null=True)
    revokedAt = time("when it was revoked", null=True)


class NewTokenRecord(TokenRecord):
    """A token with its secret, shown this once; a replay under an idempotency key leaves it out."""

    token = text("the secret: keep it now, it is not shown again", required=False, example="cwm_shown-this-once")


def token_record(token: StoredToken) -> dict[str, Any]:
    """Returns a stored token as callers see it."""
    return {
        "id": token["id"],
        "kind": token["kind"],
        "name": token["name"],
        "agent": token.get("agent"),
        "scopes": token["scopes"],
        "drafts": token["drafts"],
        "createdAt": wire_time(token["createdAt"]),
        "expiresAt": wire_time_or_none(token.get("expiresAt")),
        "lastUsedAt": wire_time_or_none(token.get("lastUsedAt")),
        "revokedAt": wire_time_or_none(token.get("revokedAt")),
    }
