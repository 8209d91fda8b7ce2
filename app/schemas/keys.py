"""What every write takes: the key under which it is done at most once, and `dryRun` (decisions, sections 3, 11)."""

from typing import Any

from app.schemas.checks import full_match
from app.schemas.types import Schema, StrictBoolean, StrictString

VISIBLE_ASCII = "[!-~]{1,255}"


def idempotency_key(**options: Any) -> StrictString:
    """Declares an idempotency key as an argument or a header."""
    return StrictString(
        255,
        validate=[full_match("[!-~]+", "Must be visible ASCII characters, at least one.")],
        description="a key of your own choice for this call, new for each piece of work. When you got no response, "
        "call again with the same key: within 24 hours the first response is sent again and nothing is done twice",
        allow_none=False,
        metadata={"minLength": 1, "pattern": f"^{VISIBLE_ASCII}$"},
        **options,
    )


class DryRun(Schema):
    """The parameter that makes a call a dry run."""

    dryRun = StrictBoolean(
        description="`true`: answers as the call would now, and changes nothing; ids and times are made up"
    )
