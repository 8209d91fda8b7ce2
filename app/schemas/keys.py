"""What every write takes: the key under which it is done at most once, and `dryRun` (decisions, sections 3, 11)."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from app.schemas.checks import full_match
from app.schemas.types import Schema, StrictBoolean, StrictString
from app.schemas.unknown import folded, shortened

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


class WriteHeaders(Schema):
    """The headers of every write over REST."""

    idempotency_key = idempotency_key(data_key="Idempotency-Key")


class ConditionalWriteHeaders(WriteHeaders):
    """The headers of a write of one record."""

    if_match = ma.fields.String(
        data_key="If-Match", metadata={"description": "an ETag: the write is refused when the record changed since"}
    )


class DryRun(Schema):
    """The parameter that makes a call a dry run."""

    dryRun = StrictBoolean(
        description="`true`: answers as the call would now, and changes nothing; ids and times are made up"
    )


class DryRunQuery(DryRun):
    """The query of an operation that writes: a dry run that is spelled wrong must not be the real call."""

    @ma.validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_misspelt(self, data: Mapping[str, Any], original: Mapping[str, Any], **options: Any) -> None:
        """Refuses names that are `dryRun` but for case, `_`, `-` and two edits (decisions, section 11)."""
        wrong = [name for name in original if name not in self.fields and is_nearly_dry_run(name)]
        if wrong:
            raise ma.ValidationError({shortened(name): ["Did you mean `dryRun`? Nothing was done."] for name in wrong})


def is_nearly_dry_run(name: str) -> bool:
    """Returns whether a name is `dryRun`, or could be meant to be."""
    from rapidfuzz.distance import Levenshtein  # takes 2 MB, and is needed for misspelt names alone

    return Levenshtein.distance(folded(name), folded("dryRun"), score_cutoff=2) <= 2
