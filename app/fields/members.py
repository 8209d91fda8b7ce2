"""What a member may hold (decisions, section 2)."""

from app.fields.checks import full_match, not_blank
from app.fields.types import EnumString, Schema, StrictString
from app.vocabulary import Role

email_address = full_match(r"[^@\s]+@[^@\s]+", "Must be an e-mail address, like ada@example.org.")
"""Checks for one @ with text around it and no white space."""


class MemberChanges(Schema):
    """What PATCH of a member may carry."""

    name = StrictString(100, not_blank, description="the member's name", example="Ada Example", allow_none=False)
    email = StrictString(320, email_address, description="the member's e-mail address", example="ada@example.org")
    role = EnumString(
        Role,
        description="descriptive: permissions are the token's; `writer` by default",
        example="editor",
        allow_none=False,
    )


class MemberFields(MemberChanges):
    """What creates a member."""

    name = StrictString(
        100, not_blank, description="the member's name", example="Ada Example", allow_none=False, required=True
    )
