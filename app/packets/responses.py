"""All that a writer needs, by itself and with a claimed document, as callers see it (decisions, section 12)."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.briefs.responses import BriefLink
from app.categories.responses import BriefCategory, BriefCluster
from app.core.actors import Note
from app.core.documented import EXAMPLE_DAY, Date, doc, one_of
from app.core.records import record_of
from app.core.vocabulary import DocumentStatus
from app.delivery.site_addresses import page_url
from app.documents.record import StoredDocument
from app.documents.responses import Brief


class PacketNeighbour(BriefLink):
    """Another document of the cluster."""

    status: Annotated[str, one_of(DocumentStatus), doc("its status", "drafting")]


class PacketLink(PacketNeighbour):
    """A document to link to."""

    excerpt: Annotated[str, doc("its summary; empty when unset")]
    url: Annotated[
        str, doc("the address of its page; empty without `siteUrl`", "https://crust.example/flour-explained")
    ]


class PacketDocument(PacketNeighbour):
    """The document of a packet."""

    version: Annotated[int, doc("the `baseVersion` of the next content write")]
    dueDate: Annotated[Date | None, doc("when it is due", EXAMPLE_DAY)]
    wordCount: Annotated[int, doc("words of the content's text", 4)]


class PacketCategory(BriefCategory):
    """The category of a packet's document."""

    path: Annotated[list[str], doc("the names from the root to itself", ["Food", "Baking"])]


class PacketCluster(BriefCluster):
    """The cluster of a packet's document."""

    documents: Annotated[list[PacketNeighbour], doc("others of it, at most 20, the most recently changed first")]


class Packet(TypedDict):
    """All that a writer needs, in at most 65,536 bytes."""

    document: Annotated[PacketDocument, doc("the document")]
    brief: Annotated[Brief | None, doc("its brief; null without one")]
    guidelines: Annotated[str, doc("the project's house style, as markdown")]
    category: Annotated[PacketCategory | None, doc("its category; null without one")]
    cluster: Annotated[PacketCluster | None, doc("its cluster; null without one")]
    links: Annotated[list[PacketLink], doc("the documents that the brief wants linked to")]
    review: Annotated[Note | None, doc("the last request for changes, until the next submit")]
    actions: Annotated[
        list[str],
        doc("the operations on the document that are allowed now; none on one thread or source", ["write_content"]),
    ]
    truncated: Annotated[list[str], doc("the names of the parts that were shortened to fit")]


class WithPacket(TypedDict):
    """The packet of a claim, on request."""

    packet: NotRequired[Annotated[Packet, doc("all that its writer needs; with `packet: true` alone")]]


def packet_link(document: StoredDocument, site_url: str | None) -> PacketLink:
    """Returns a document to link to, with the address of its page where the project has a site."""
    url = page_url(site_url, document["slug"]) if site_url else ""
    return record_of(PacketLink, document, url=url)


class StyledProject(TypedDict):
    """The setting of a project."""

    guidelines: Annotated[str, doc("the house style for writers, as markdown")]
