"""What reading a document's content in parts takes (decisions, section 8)."""

from app.fields.intents import MAX_MARKDOWN
from app.fields.kinds import Fields, whole

PART = 20_000
LONGEST_PART = 100_000


class ContentPartQuery(Fields):
    """Which part of which version."""

    version = whole(1, doc="the version to read; by default the present one")
    offset = whole(0, MAX_MARKDOWN, doc="characters to skip", load_default=0)
    limit = whole(1, LONGEST_PART, doc="most characters to return", load_default=PART)
