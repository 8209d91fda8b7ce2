"""What packets add to the claims of briefs."""

from collections.abc import Mapping
from typing import Any, cast

from app.briefs.responses import ClaimedDocument, ClaimedSummary
from app.briefs.schemas import ClaimFields
from app.core.context import Context
from app.core.features import Extension, Feature
from app.core.schemas.loading import Fields
from app.documents.record import StoredDocument
from app.packets.operations import packet_of
from app.packets.responses import WithPacket
from app.packets.schemas import PacketRequest


def packet_on_request(ctx: Context, document: Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    """Returns the packet of a claimed document if it was requested."""
    return {"packet": packet_of(ctx, cast(StoredDocument, document))} if fields.get("packet") else {}


FEATURE = Feature(
    "packets",
    schemas={ClaimFields: PacketRequest},
    responses={ClaimedSummary: WithPacket, ClaimedDocument: WithPacket},
    extensions=(Extension("claim_brief", present=packet_on_request),),
)
