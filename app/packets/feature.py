"""Additions of packets to the records and operations of others."""

from app.briefs.responses import ClaimedDocument, ClaimedSummary
from app.briefs.schemas import ClaimFields
from app.core.features import Extension, Feature
from app.core.schemas.fields import Schema, StrictBoolean, StrictString
from app.packets.operations import packet_on_request
from app.packets.responses import StyledProject, WithPacket
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges


class PacketRequest(Schema):
    """A claim that may ask for the packet."""

    packet = StrictBoolean(description="add the work packet", example=True)


class StyleSettings(Schema):
    """The house style, as it is sent."""

    guidelines = StrictString(20_000, description="the house style for writers, as markdown")


FEATURE = Feature(
    "packets",
    responses={Project: StyledProject, ClaimedSummary: WithPacket, ClaimedDocument: WithPacket},
    schemas={ProjectChanges: StyleSettings, ClaimFields: PacketRequest},
    extensions=(Extension("claim_brief", present=packet_on_request),),
)
