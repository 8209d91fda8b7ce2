"""What reading events takes (decisions, section 9)."""

from app.fields.queries import MAX_OFFSET
from app.fields.types import Schema, StrictInteger, StrictString


class EventQuery(Schema):
    """Where in the feed to read on, and how much."""

    after = StrictString(
        description="the `cursor` of the page before; without it, from the oldest event stored", allow_none=False
    )
    limit = StrictInteger(1, 1_000, description="most events to return", load_default=100)


class WaitingEventQuery(EventQuery):
    """What reading events takes over REST."""

    wait = StrictInteger(
        0, 25, description="seconds to wait for the first event, where there is none yet", load_default=0
    )


class ActivityQuery(Schema):
    """One page of a document's activity; a page shorter than `limit` is the last one."""

    limit = StrictInteger(1, 1_000, description="most items to return", load_default=100)
    offset = StrictInteger(0, MAX_OFFSET, description="items to skip", load_default=0)
