"""Edits of sections, and which part of a content to read (decisions, sections 8 and 12)."""

from app.core.schemas.fields import List, Nested, Schema, StrictBoolean, StrictInteger, StrictString
from app.core.schemas.queries import MAX_OFFSET
from app.core.schemas.validation import full_match
from app.documents.schemas import MAX_MARKDOWN, WithClaim

MAX_EDITS = 50


section_hash = full_match("[0-9a-f]{16}", "Must be 16 hexadecimal digits in lower case, as the outline gives them.")


class SectionEdit(Schema):
    """One edit of a section."""

    hash = StrictString(
        16, validate=[section_hash], description="from the outline", example="e3b0c44298fc1c14", required=True
    )
    markdown = StrictString(
        MAX_MARKDOWN,
        description="with the heading; empty removes it",
        example="# Dough\n\nFlour, water and patience.\n",
        required=True,
    )
    number = StrictInteger(0, description="if several have it")
    insertAfter = StrictBoolean(description="insert after it")


class ContentEdits(WithClaim):
    """Body of `PATCH /documents/:id/content`; all edits name sections of the content as it is before."""

    edits = List(
        Nested(SectionEdit, allow_none=False), MAX_EDITS, min_items=1, description="all or none", required=True
    )


class SectionNumbers(Schema):
    """Which sections of a document to read."""

    numbers = List(
        StrictInteger(0, allow_none=False),
        20,
        min_items=1,
        description="instead of `number`: several",
        required=True,
    )


class OutlineQuery(Schema):
    """Which part of an outline to read; over REST always all (decisions, section 23)."""

    limit = StrictInteger(1, 500, description="most items to return", load_default=500)
    offset = StrictInteger(0, MAX_OFFSET, description="items to skip", load_default=0)
