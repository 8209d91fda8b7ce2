"""Query parameters of `GET /insights`."""

from app.core.schemas.fields import Schema, StrictInteger


class InsightsQuery(Schema):
    """How many days of figures to report (decisions, section 14)."""

    days = StrictInteger(1, 90, description="days up to today, in UTC", load_default=30)
