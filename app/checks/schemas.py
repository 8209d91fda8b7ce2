"""Query of `check_document`."""

from app.core.schemas.fields import OVER_MCP, Schema, StrictBoolean


class ChecksQuery(Schema):
    """Which outcomes of checks to list; over REST always all (decisions, section 8)."""

    all = StrictBoolean(description="list what passed and was skipped too", metadata={OVER_MCP: False})
