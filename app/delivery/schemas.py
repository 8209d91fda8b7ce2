"""Arguments of delivery queries and feeds (decisions, section 7)."""

from app.core.schemas.fields import Schema, StrictInteger, StrictString
from app.core.schemas.queries import Page


class DeliveryPage(Page):
    """One page of what is delivered (decisions, section 7)."""

    limit = StrictInteger(1, 100, description="most documents to return", load_default=20)
    after = StrictString(100, description="the `endCursor` of the page before", allow_none=False)
    search = StrictString(description="whole words, all of them, ignoring case and accents", allow_none=False)


class RelatedPage(Schema):
    """How many related documents to return (decisions, section 15)."""

    limit = StrictInteger(1, 10, description="most documents to return", load_default=3)


class FeedQuery(Schema):
    """How many entries of a feed to return (decisions, section 7)."""

    limit = StrictInteger(1, 50_000, description="most entries to return", load_default=50)
