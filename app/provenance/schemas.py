"""Approvals with a record of review, declarations of how a text was generated, and what to read.

(decisions, section 18)
"""

from typing import Any

import marshmallow as ma

from app.core.schemas.fields import (
    EnumString,
    Nested,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    StringToConfirm,
    not_empty,
)
from app.core.schemas.queries import Page, PartQuery
from app.core.schemas.validation import is_blank, not_blank
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


class ProvenanceQuery(VersionQuery, PartQuery):
    """Which version of a document over MCP, and which part of its paragraphs to read."""


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


MOST_TOKENS = 10**12


class _Declared(Schema):
    provider = StrictString(200, description="who provides it", example="Example AI")
    promptUrl = StrictString(2_000, description="where the prompt is")
    inputTokens = StrictInteger(0, MOST_TOKENS, description="tokens read", allow_none=True)
    outputTokens = StrictInteger(0, MOST_TOKENS, description="tokens written", allow_none=True)


class DraftGenerationFields(_Declared):
    """Declaration of how a draft's markdown was generated; the model is needed to confirm."""

    model = StringToConfirm(200, not_blank, description="the model", example="example-4", allow_none=False)


class WithDraftGeneration(Schema):
    """A draft that may say what its markdown used."""

    generation = Nested(DraftGenerationFields, description="the model used for it")


class GenerationFields(_Declared):
    """Declaration of how a text was generated."""

    model = StrictString(200, validate=[not_blank], description="the model", example="example-4", required=True)


class WithGeneration(Schema):
    """A write of a text that may say what it used."""

    generation = Nested(GenerationFields, description="the model used")
