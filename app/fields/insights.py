"""What reading a project's figures takes (decisions, section 14)."""

from app.fields.types import Schema, StrictInteger


class InsightsQuery(Schema):
    """How many days to report."""

    days = StrictInteger(1, 90, description="days up to today, in UTC", load_default=30)
