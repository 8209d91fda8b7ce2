"""Packets: the house style in projects, and the packet of a claim."""

from typing import Annotated

from typing_extensions import TypedDict

from app.briefs.responses import ClaimedDocument, ClaimedSummary
from app.briefs.schemas import ClaimFields
from app.core.documented import doc
from app.core.features import Extension, Feature
from app.core.schemas.fields import Schema, StrictString
from app.packets.operations import packet_on_request
from app.packets.responses import WithPacket
from app.packets.schemas import PacketRequest
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges


class StyledProject(TypedDict):
    """The setting of a project."""

    guidelines: Annotated[str, doc("the house style for writers, as markdown")]


class StyleSettings(Schema):
    """The house style, as it is sent."""

    guidelines = StrictString(20_000, description="the house style for writers, as markdown")


FEATURE = Feature(
    "packets",
    responses={Project: StyledProject, ClaimedSummary: WithPacket, ClaimedDocument: WithPacket},
    schemas={ProjectChanges: StyleSettings, ClaimFields: PacketRequest},
    extensions=(Extension("claim_brief", present=packet_on_request),),
)
