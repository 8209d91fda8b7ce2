"""Query parameters of `GET /events` and of the activity of a document (decisions, section 9)."""

from app.core.schemas.fields import Schema, StrictInteger, StrictString
from app.core.schemas.queries import SMALL_OVER_MCP, Page


class EventQuery(Schema):
    """Where in the feed of events to read on, and how much (decisions, section 9)."""

    after = StrictString(description="the `cursor` of the page before", allow_none=False)
    limit = StrictInteger(1, 1_000, description="most events to return", load_default=100, metadata=SMALL_OVER_MCP)


class WaitingEventQuery(EventQuery):
    """Query parameters of `GET /events`."""

    wait = StrictInteger(
        0, 25, description="seconds to wait for the first event, where there is none yet", load_default=0
    )


class ActivityQuery(Page):
    """One page of a document's activity."""

    limit = StrictInteger(1, 1_000, description="most items to return", load_default=100, metadata=SMALL_OVER_MCP)
