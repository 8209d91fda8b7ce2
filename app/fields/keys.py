"""The key under which a request is done at most once (decisions, section 3)."""

import re
from typing import Any

import marshmallow as ma

from app.fields.types import StrictString

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
