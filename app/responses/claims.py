"""A document that was just claimed, with the work packet where the claim asked for it (decisions, section 12)."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.documented import doc
from app.responses.documents import Document, DocumentSummary
from app.responses.packets import Packet


class _WithPacket(TypedDict):
    packet: NotRequired[Annotated[Packet, doc("all that its writer needs; with `packet: true` alone")]]


class ClaimedSummary(DocumentSummary, _WithPacket):
    """A claimed document without its long texts."""


class ClaimedDocument(Document, _WithPacket):
    """A claimed document."""
