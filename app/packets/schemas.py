"""The setting of a project that the packet passes on (decisions, section 12)."""

from app.core.schemas.fields import Schema, StrictString


class StyleSettings(Schema):
    """The house style, as it is sent."""

    guidelines = StrictString(20_000, description="the house style for writers, as markdown")
