"""The body of an approval with a record of review, and which version or publications to read."""

from typing import Any

import marshmallow as ma

from app.core.schemas.fields import EnumString, Nested, Schema, StrictBoolean, StrictInteger, StrictString, not_empty
from app.core.schemas.queries import Page
from app.core.schemas.validation import is_blank
from app.documents.schemas import day
from app.provenance.vocabulary import ReviewDemand


class ReviewFields(Schema):
    """A person's attestation of the text that they approve."""

    facts = StrictBoolean(description="whether you checked its facts", example=True, load_default=False)
    sources = StrictBoolean(description="whether you checked its sources", example=True, load_default=False)
    examined = StrictString(
        2_000,
        validate=[not_empty],
        description="what you examined, and how",
        example="Every step, against our own bakes.",
        allow_none=False,
    )
    responsible = StrictString(200, description="who answers for it; may hold an address", example="Ada Miller")

    @ma.post_load
    def _without_blanks(self, data: dict[str, Any], **options: Any) -> dict[str, Any]:
        """Empties texts that have nothing to read."""
        return {name: "" if isinstance(value, str) and is_blank(value) else value for name, value in data.items()}


class WithReview(Schema):
    """An approval that may have the record of a person's review."""

    review = Nested(ReviewFields, description="a person's attestation of what they examined")


class VersionQuery(Schema):
    """Which version of a document (decisions, section 18)."""

    version = StrictInteger(1, description="the version to read", allow_none=False)


class DisclosureQuery(Page):
    """Which publications to list (decisions, section 18)."""

    from_ = day("went live on this day or after", data_key="from")
    to = day("went live on this day or before")


class ReviewSettings(Schema):
    """The demand, as it is sent."""

    reviewRecord = EnumString(
        ReviewDemand,
        description="`required`: only a person approves",
        example="required",
    )
