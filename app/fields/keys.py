"""The key under which a request is done at most once (decisions, section 3)."""

import re

import marshmallow as ma

from app.fields.kinds import Text

VISIBLE_ASCII = re.compile("[!-~]{1,255}")
WRONG_FORM = "Must be 1 to 255 visible ASCII characters."


def idempotency_key_form(value: str) -> None:
    """Checks the form of an idempotency key."""
    if not VISIBLE_ASCII.fullmatch(value):
        raise ma.ValidationError(WRONG_FORM)


def idempotency_key() -> Text:
    """Declares an idempotency key as an argument."""
    doc = (
        "a key of your own choice for this call, new for each piece of work. When you got no answer, call again with "
        "the same key: within 24 hours the first answer is given again and nothing is done twice"
    )
    metadata = {"description": doc, "minLength": 1, "maxLength": 255, "pattern": f"^{VISIBLE_ASCII.pattern}$"}
    return Text(validate=[idempotency_key_form], metadata=metadata)
