"""Schemas of sources (decisions, section 22)."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from app.core.schemas.fields import DateString, List, Nested, Schema, StrictBoolean, StrictInteger, StrictString
from app.core.schemas.queries import MAX_OFFSET
from app.core.schemas.validation import http_url, not_blank
from app.sources.rules import MOST_SOURCES


class SourceOrigin(Schema):
    """Where a source comes from."""

    url = StrictString(2_000, http_url, description="http or https", example="https://example.org/wild-yeast")
    publisher = StrictString(200, description="who published it", example="Example Institute")
    publishedOn = DateString(description="when it was published", example="2026-05-01")


class SourceTexts(SourceOrigin):
    """The fields of a source that null clears."""

    excerpt = StrictString(
        20_000,
        description="the supporting passage, to the character",
        example="A starter needs five days at room temperature.",
    )
    note = StrictString(1_000, description="for the team alone")


class NewSource(SourceTexts):
    """A source to add."""

    title = StrictString(300, not_blank, description="its title", example="Wild yeast", required=True)


class SourceFields(SourceTexts):
    """Body of `POST /documents/:id/sources`."""

    title = StrictString(300, not_blank, description="its title", example="Wild yeast", allow_none=False)
    fromBrief = StrictBoolean(description="alone: adds the brief's `referenceUrls`, answers all sources")

    @ma.validates_schema
    def _either(self, data: Mapping[str, Any], **options: Any) -> None:
        """Demands a title, or nothing else beside `fromBrief`."""
        if not data.get("fromBrief"):
            if "title" not in data:
                raise ma.ValidationError({"title": ["Is required without `fromBrief`."]})
        elif others := [name for name in NewSource().fields if data.get(name) is not None]:
            raise ma.ValidationError({name: ["Leave it out with `fromBrief`."] for name in others})


class SourcesQuery(Schema):
    """Which of a document's sources to list; over REST always all."""

    offset = StrictInteger(0, MAX_OFFSET, description="items to skip", load_default=0)


class SourceList(Schema):
    """Several sources to add."""

    sources = List(
        Nested(NewSource, allow_none=False),
        MOST_SOURCES,
        min_items=1,
        description="instead: several, all or none",
        required=True,
    )


class SourceChanges(SourceTexts):
    """Body of `PATCH /documents/:id/sources/:sourceId`."""

    title = StrictString(300, not_blank, description="its title", example="Wild yeast", allow_none=False)


class VerifyFields(Schema):
    """Body of `POST /documents/:id/sources/:sourceId/verify`."""

    verified = StrictBoolean(
        description="false takes it back", example=True, load_default=True, metadata={"default": True}
    )
