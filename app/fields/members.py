"""What a member may hold (decisions, section 2)."""

import re
from typing import Any

import marshmallow as ma

from app.fields.kinds import Fields, not_blank, text, word
from app.vocabulary import Role


def email(value: str) -> None:
    """Checks for something that can be an e-mail address: one @ with text around it and no white space."""
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", value):
        raise ma.ValidationError("Must be an e-mail address, like ada@example.org.")


def _name(**options: Any) -> Any:
    return text(100, not_blank, doc="the member's name", null=False, **options)


class MemberFields(Fields):
    """What makes a member."""

    name = _name(required=True)
    email = text(320, email, doc="the member's e-mail address")
    role = word(Role, doc="descriptive: permissions are the token's; `writer` by default", null=False)


class MemberChanges(MemberFields):
    """What PATCH of a member may carry."""

    name = _name()
