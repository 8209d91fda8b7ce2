"""The filter that a search in texts adds to lists of documents (decisions, section 23)."""

from app.core.schemas.fields import Schema, StrictString


class WithText(Schema):
    """A list of documents that may be narrowed to those with some words in their text."""

    text = StrictString(200, description="words of the present text", allow_none=False)
