"""What reading a document's content in parts takes (decisions, section 8)."""

from app.fields.intents import MAX_MARKDOWN
from app.fields.types import Schema, StrictInteger

PART = 20_000
LONGEST_PART = 100_000


class ContentPartQuery(Schema):
    """Which part of which version."""

    version = StrictInteger(1, description="the version to read; by default the present one")
    offset = StrictInteger(0, MAX_MARKDOWN, description="characters to skip", load_default=0)
    limit = StrictInteger(1, LONGEST_PART, description="most characters to return", load_default=PART)
