"""Token records; the secret is in the response to the creation and nowhere else (decisions, section 2)."""

from typing import TypedDict

from app.records.types import Record, boolean, integer, nested, record_id, string, strings, timestamp
from app.rules.times import wire_time, wire_time_or_none
from app.rules.tokens import Budget, StoredToken
from app.vocabulary import Scope, TokenKind


class BudgetRecord(Record):
    """How much a token may change."""

    writesPerHour = integer("calls that change something, in a clock hour; null: no limit", null=True, example=100)
    publishesPerDay = integer("documents published or scheduled, in a UTC day; null: no limit", null=True, example=5)


class TokenRecord(Record):
    """A token, without its secret."""

    id = record_id("the token's id")
    kind = string("which API it opens", one_of=TokenKind)
    name = string("what or who uses it", example="Night writer")
    agent = string("the agent that uses it", null=True, example="writer-1")
    scopes = strings("what it may do; empty for a delivery token", one_of=Scope, example=["read", "write"])
    drafts = boolean("a delivery token: whether it may read documents that are not published")
    budget = nested(BudgetRecord, "a management token's limits; null: none", null=True)
    createdAt = timestamp("when it was created")
    expiresAt = timestamp("when it expires; null: never", null=True)
    lastUsedAt = timestamp("when it was last used; may lag a minute", null=True)
    revokedAt = timestamp("when it was revoked", null=True)


class NewTokenRecord(TokenRecord):
    """A token with its secret, shown only in this response; a replay under an idempotency key leaves it out."""

    token = string(
        "the secret: store it now, it is not shown again; null in a dry run",
        null=True,
        required=False,
        example="cwm_shown-this-once",
    )


class ShownToken(TypedDict):
    """A token as callers see it."""

    id: str
    kind: str
    name: str
    agent: str | None
    scopes: list[str]
    drafts: bool
    budget: Budget | None
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    revokedAt: str | None


class ShownNewToken(ShownToken):
    """A token as callers see it with its new secret."""

    token: str


def token_record(token: StoredToken) -> ShownToken:
    """Returns a stored token as callers see it."""
    return {
        "id": token["id"],
        "kind": token["kind"],
        "name": token["name"],
        "agent": token.get("agent"),
        "scopes": token["scopes"],
        "drafts": token["drafts"],
        "budget": token.get("budget"),
        "createdAt": wire_time(token["createdAt"]),
        "expiresAt": wire_time_or_none(token.get("expiresAt")),
        "lastUsedAt": wire_time_or_none(token.get("lastUsedAt")),
        "revokedAt": wire_time_or_none(token.get("revokedAt")),
    }
