"""Schemas of tokens and invitations (decisions, section 2)."""

from app.core.schemas.fields import (
    EnumString,
    List,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    TimeString,
)
from app.core.schemas.validation import not_blank
from app.core.vocabulary import Scope, TokenKind

MEMBER = "the id of the member whose it is"


class TokenFields(Schema):
    """Body of `POST /tokens`."""

    name = StrictString(100, not_blank, description="what or who uses the token", example="Night writer", required=True)
    kind = EnumString(TokenKind, description="`management` (the default) or `delivery`", allow_none=False)
    agent = StrictString(
        100, not_blank, description="the agent that uses it; over MCP the caller's name alone", example="writer-1"
    )
    scopes = List(
        EnumString(Scope, allow_none=False),
        len(Scope),
        description="what it may do; by default `read write publish`, with an agent `read write`",
        allow_none=False,
    )
    drafts = StrictBoolean(description="a delivery token: may read drafts")
    expiresAt = TimeString(description="when it expires; by default never")
    memberId = StrictString(description=MEMBER)


class TokenChanges(Schema):
    """Body of `PATCH /tokens/:id`."""

    name = StrictString(
        100, not_blank, description="what or who uses the token", example="Night writer", allow_none=False
    )
    memberId = StrictString(description=MEMBER)


MOST_SECONDS = 30 * 86_400


class InvitationFields(Schema):
    """Body of `POST /members/:id/invitations`."""

    scopes = List(
        EnumString(Scope, allow_none=False),
        len(Scope),
        description="what the member's token may do; by default `read write publish`",
        allow_none=False,
    )
    expiresIn = StrictInteger(
        1,
        MOST_SECONDS,
        description="seconds that the link works; by default 7 days",
        example=604_800,
        allow_none=False,
    )
