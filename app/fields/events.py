"""What reading events takes (decisions, section 9)."""

from app.fields.kinds import Fields, text, whole
from app.fields.queries import MAX_OFFSET


class EventQuery(Fields):
    """Where in the feed to read on, and how much."""

    after = text(doc="the `cursor` of the page before; without it, from the oldest event kept", null=False)
    limit = whole(1, 1_000, doc="most events to return", load_default=100)


class ActivityQuery(Fields):
    """One page of a document's activity; a page shorter than `limit` is the last one."""

    limit = whole(1, 1_000, doc="most items to return", load_default=100)
    offset = whole(0, MAX_OFFSET, doc="items to skip", load_default=0)
