"""What an invitation may hold (decisions, section 2)."""

from app.schemas.types import EnumString, List, Schema, StrictInteger
from app.vocabulary import Scope

MOST_SECONDS = 30 * 86_400


class InvitationFields(Schema):
    """What invites a member."""

    scopes = List(
        EnumString(Scope, allow_none=False),
        len(Scope),
        description="what the member's token may do; by default `read write publish`",
        allow_none=False,
    )
    expiresIn = StrictInteger(
        1,
        MOST_SECONDS,
        description="for how many seconds the link works, by default 604800 (7 days)",
        example=604_800,
        allow_none=False,
    )
