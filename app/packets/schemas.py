"""The request for a work packet, and the setting of a project that it passes on (decisions, section 12)."""

from app.core.schemas.fields import Schema, StrictBoolean, StrictString


class PacketRequest(Schema):
    """A claim that may ask for the packet."""

    packet = StrictBoolean(description="answer with the work packet too, as `packet`", example=True)


class StyleSettings(Schema):
    """The house style, as it is sent."""

    guidelines = StrictString(20_000, description="the house style for writers, as markdown")
