"""What an edit of a document's sections carries (decisions, section 12)."""

import re

import marshmallow as ma

from app.fields.documents import WithClaim
from app.fields.intents import MAX_MARKDOWN
from app.fields.types import List, Nested, Schema, StrictBoolean, StrictInteger, StrictString

MAX_EDITS = 50
HASH_FORM = re.compile(r"[0-9a-f]{16}")


def hash_form(value: str) -> None:
    """Checks for the form of a section's hash."""
    if HASH_FORM.fullmatch(value) is None:
        raise ma.ValidationError("Must be 16 hexadecimal digits in lower case, as the outline gives them.")


class SectionEdit(Schema):
    """One edit of a section."""

    hash = StrictString(
        16,
        validate=[hash_form],
        description="from the outline",
        example="e3b0c44298fc1c14",
        allow_none=False,
        required=True,
    )
    markdown = StrictString(
        MAX_MARKDOWN,
        description="its new markdown, with the heading; empty removes it",
        example="# Dough\n\nFlour, water and patience.\n",
        allow_none=False,
        required=True,
    )
    number = StrictInteger(0, description="which of several with this hash; the first by default")
    insertAfter = StrictBoolean(description="insert after it instead")


class ContentEdits(WithClaim):
    """What an edit of content carries; all edits name sections of the content as it is before."""

    edits = List(
        Nested(SectionEdit, allow_none=False),
        MAX_EDITS,
        min_items=1,
        description="the edits",
        allow_none=False,
        required=True,
    )
