"""What every write takes: the key under which it is done at most once, and `dryRun` (decisions, sections 3, 11)."""

import re
from typing import Any

import marshmallow as ma

from app.fields.types import Schema, StrictBoolean, StrictString

VISIBLE_ASCII = re.compile("[!-~]{1,255}")


def idempotency_key_form(value: str) -> None:
    """Checks the form of an idempotency key."""
    if not VISIBLE_ASCII.fullmatch(value):
        raise ma.ValidationError("Must be 1 to 255 visible ASCII characters.")


def idempotency_key(**options: Any) -> StrictString:
    """Declares an idempotency key as an argument or a header."""
    return StrictString(
        255,
        validate=[idempotency_key_form],
        description="a key of your own choice for this call, new for each piece of work. When you got no response, "
        "call again with the same key: within 24 hours the first response is sent again and nothing is done twice",
        allow_none=False,
        metadata={"minLength": 1, "pattern": f"^{VISIBLE_ASCII.pattern}$"},
        **options,
    )


class DryRun(Schema):
    """The parameter that makes a call a dry run."""

    dryRun = StrictBoolean(
        description="`true`: answers as the call would now, and changes nothing; ids and times are made up"
    )
