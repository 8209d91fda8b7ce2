"""The request for a work packet (decisions, section 12)."""

from app.core.schemas.fields import Schema, StrictBoolean


class PacketRequest(Schema):
    """A claim that may ask for the packet."""

    packet = StrictBoolean(description="answer with the work packet too, as `packet`", example=True)
