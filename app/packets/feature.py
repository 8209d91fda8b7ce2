"""What packets add to the records and operations of others."""

from app.briefs.responses import ClaimedDocument, ClaimedSummary
from app.briefs.schemas import ClaimFields
from app.core.features import Extension, Feature
from app.packets.operations import packet_on_request
from app.packets.responses import StyledProject, WithPacket
from app.packets.schemas import PacketRequest, StyleSettings
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges

FEATURE = Feature(
    "packets",
    responses={Project: StyledProject, ClaimedSummary: WithPacket, ClaimedDocument: WithPacket},
    schemas={ProjectChanges: StyleSettings, ClaimFields: PacketRequest},
    extensions=(Extension("claim_brief", present=packet_on_request),),
)
