"""A document that was just claimed, with the work packet where the claim asked for it (decisions, section 12)."""

from typing import Annotated, NotRequired

from app.documented import doc
from app.responses.documents import Document, DocumentSummary
from app.responses.packets import Packet


class ClaimedSummary(DocumentSummary):
    """A claimed document without its long texts."""

    packet: NotRequired[Annotated[Packet, doc("all that its writer needs; with `packet: true` alone")]]


class ClaimedDocument(Document):
    """A claimed document."""

    packet: NotRequired[Annotated[Packet, doc("all that its writer needs; with `packet: true` alone")]]
