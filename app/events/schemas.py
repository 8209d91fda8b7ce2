"""Query parameters of `GET /events` and of the activity of a document (decisions, section 9)."""

from app.core.schemas.fields import DelimitedStrings, Schema, StrictInteger, StrictString
from app.core.schemas.queries import SMALL_OVER_MCP, Page

LATEST = "latest"
"""The place after the last event, instead of a cursor."""


class EventQuery(Schema):
    """Where in the feed of events to read on, and how much (decisions, section 9)."""

    after = StrictString(
        description=f"the `cursor` of the page before; `{LATEST}`: only events from now on",
        allow_none=False,
    )
    type = DelimitedStrings(StrictString(100, allow_none=False), description="only events of these types")
    limit = StrictInteger(1, 1_000, description="most events to return", load_default=100, metadata=SMALL_OVER_MCP)


class WaitingEventQuery(EventQuery):
    """Query parameters of `GET /events`."""

    wait = StrictInteger(
        0, 25, description="seconds to wait for the first event, where there is none yet", load_default=0
    )


class ActivityQuery(Page):
    """One page of a document's activity."""

    limit = StrictInteger(1, 1_000, description="most items to return", load_default=100, metadata=SMALL_OVER_MCP)
