"""All that a writer needs, as callers see it (decisions, section 12)."""

from typing import TypedDict

from app.records.actors import ActorRecord
from app.records.briefs import BriefCategory, BriefLink, BriefRecord, ShownBrief, ShownLink
from app.records.checks import CheckResult
from app.records.errors import FAILED_CHECK
from app.records.named import ShownDescribed
from app.records.sections import OutlineRecord, ShownOutline
from app.records.types import Record, date, integer, nested, nested_list, record_id, string, strings, timestamp
from app.rules.actors import ShownNote
from app.rules.checks import ShownCheck
from app.rules.documents import LinkedDocument, StoredDocument
from app.vocabulary import DocumentStatus


class PacketDocument(Record):
    """The document of a packet."""

    id = record_id("the document's id")
    title = string("its title", example="How to begin a sourdough starter")
    slug = string("its slug", example="how-to-begin-a-sourdough-starter")
    status = string("its status", one_of=DocumentStatus, example="drafting")
    version = integer("the `baseVersion` of the next content write")
    dueDate = date("when it is due")
    wordCount = integer("words of the content's text", example=4)


class PacketCategory(BriefCategory):
    """The category of a packet's document."""

    path = strings("the names from the root to itself", example=["Food", "Baking"])


class PacketNeighbour(BriefLink):
    """Another document of the cluster."""

    status = string("its status", one_of=DocumentStatus)


class PacketLink(PacketNeighbour):
    """A document to link to."""

    excerpt = string("its summary; empty when unset")


class PacketCluster(Record):
    """The cluster of a packet's document."""

    id = record_id("the cluster's id")
    name = string("its name", example="Sourdough")
    description = string("what the topic covers", example="Wild yeast at home")
    keywords = strings("keywords the topic targets", example=["sourdough", "levain"])
    documents = nested_list(PacketNeighbour, "others of it, at most 20, the most recently changed first")


class ReviewRecord(Record):
    """A request for changes."""

    note = string("what has to change", example="Say which flour.")
    at = timestamp("when")
    by = nested(ActorRecord, "by whom")


class PacketRecord(Record):
    """All that a writer needs, in at most 65,536 bytes."""

    document = nested(PacketDocument, "the document")
    brief = nested(BriefRecord, "its brief; null without one", null=True)
    guidelines = string("the project's house style, as markdown")
    category = nested(PacketCategory, "its category; null without one", null=True)
    cluster = nested(PacketCluster, "its cluster; null without one", null=True)
    links = nested_list(PacketLink, "the documents that the brief wants linked to")
    review = nested(ReviewRecord, "the last request for changes, until the next submit", null=True)
    outline = nested(OutlineRecord, "the content's sections")
    checks = nested_list(CheckResult, "the failures of checks", example=[FAILED_CHECK])
    actions = strings("the operations that are allowed now", example=["write_content", "release_brief"])
    truncated = strings("the names of the parts that were shortened to fit", example=[])


class ShownPacketNeighbour(ShownLink):
    """Another document of the cluster, as a packet shows it."""

    status: str


class ShownPacketLink(ShownPacketNeighbour):
    """A document to link to, as a packet shows it."""

    excerpt: str


class ShownPacketDocument(ShownPacketNeighbour):
    """The document of a packet, as callers see it."""

    version: int
    dueDate: str | None
    wordCount: int


class ShownPacketCategory(ShownDescribed):
    """The category of a packet's document, as callers see it."""

    path: list[str]


class ShownPacketCluster(ShownDescribed):
    """The cluster of a packet's document, as callers see it."""

    keywords: list[str]
    documents: list[ShownPacketNeighbour]


class ShownPacket(TypedDict):
    """All that a writer needs, as callers see it."""

    document: ShownPacketDocument
    brief: ShownBrief | None
    guidelines: str
    category: ShownPacketCategory | None
    cluster: ShownPacketCluster | None
    links: list[ShownPacketLink]
    review: ShownNote | None
    outline: ShownOutline
    checks: list[ShownCheck]
    actions: list[str]
    truncated: list[str]


def packet_document(document: StoredDocument) -> ShownPacketDocument:
    """Returns what a packet says of its document."""
    return {
        **packet_neighbour(document),
        "version": document["version"],
        "dueDate": document.get("dueDate"),
        "wordCount": document["wordCount"],
    }


def packet_neighbour(document: LinkedDocument) -> ShownPacketNeighbour:
    """Returns another document as a cluster of a packet shows it."""
    return {
        "id": document["id"],
        "title": document["title"],
        "slug": document["slug"],
        "status": document["status"],
    }


def packet_link(document: LinkedDocument) -> ShownPacketLink:
    """Returns a document to link to."""
    return {**packet_neighbour(document), "excerpt": document.get("excerpt") or ""}
