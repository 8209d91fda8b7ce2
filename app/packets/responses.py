"""All that a writer needs, by itself and with a claimed document, as callers see it (decisions, section 12)."""

from collections.abc import Iterable
from typing import Annotated, NotRequired, cast

from typing_extensions import TypedDict

from app.briefs.responses import BriefLink
from app.categories.responses import BriefCategory, BriefCluster
from app.checks.rules import FAILED_CHECK, CheckResult
from app.core.actors import Actor, Note
from app.core.documented import EXAMPLE_DAY, Date, Id, Timestamp, doc, one_of
from app.core.records import record_of
from app.core.vocabulary import DocumentStatus
from app.delivery.site_addresses import page_url
from app.documents.record import StoredDocument
from app.documents.responses import Brief
from app.review.anchors import Quote
from app.review.responses import Comment, Thread
from app.review.vocabulary import ThreadLevel, ThreadState
from app.sections.responses import Outline
from app.sections.rules import Section


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


class PacketThread(TypedDict):
    """A review thread that is not resolved; keys without a value are left out."""

    id: Annotated[Id, doc("the thread's id")]
    version: Annotated[int, doc("the version that it was opened on")]
    level: Annotated[str, one_of(ThreadLevel), doc("how much it matters", "must")]
    state: Annotated[str, one_of(ThreadState), doc("the state", "open")]
    quote: NotRequired[Annotated[Quote, doc("the passage that it is about; the whole document without one")]]
    line: NotRequired[Annotated[int, doc("the line that the passage begins in now", 1)]]
    section: NotRequired[Annotated[int, doc("the number of the section that it begins in", 0)]]
    suggestion: NotRequired[Annotated[str, doc("what the passage should be replaced with", "Wheat flour")]]
    outcome: NotRequired[Annotated[str, doc("`accepted`, where the suggestion was written already")]]
    comments: Annotated[list[Comment], doc("the comments, that which opened it first")]
    openedBy: Annotated[Actor, doc("who opened it")]
    createdAt: Annotated[Timestamp, doc("when it was opened")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]


class Passage(TypedDict):
    """The text of a section that threads are about."""

    number: Annotated[int, doc("the section's number in the outline", 1)]
    markdown: Annotated[str, doc("the section's markdown, its heading included", "# Dough\n\nFlour and water.\n")]


class Packet(TypedDict):
    """All that a writer needs, in at most 65,536 bytes."""

    document: Annotated[PacketDocument, doc("the document")]
    brief: Annotated[Brief | None, doc("its brief; null without one")]
    guidelines: Annotated[str, doc("the project's house style, as markdown")]
    category: Annotated[PacketCategory | None, doc("its category; null without one")]
    cluster: Annotated[PacketCluster | None, doc("its cluster; null without one")]
    links: Annotated[list[PacketLink], doc("the documents that the brief wants linked to")]
    review: Annotated[Note | None, doc("the last request for changes, until the next submit")]
    threads: Annotated[list[PacketThread], doc("the review threads that are not resolved, at most 50")]
    passages: Annotated[list[Passage], doc("the sections that these threads are in, each once")]
    outline: Annotated[Outline, doc("the content's sections")]
    checks: Annotated[list[CheckResult], doc("the failures of checks", [FAILED_CHECK])]
    actions: Annotated[list[str], doc("the operations that are allowed now", ["write_content", "release_brief"])]
    truncated: Annotated[list[str], doc("the names of the parts that were shortened to fit")]


class WithPacket(TypedDict):
    """The packet of a claim, on request."""

    packet: NotRequired[Annotated[Packet, doc("all that its writer needs; with `packet: true` alone")]]


def packet_thread(thread: Thread) -> PacketThread:
    """Returns a thread without the keys that have no value, and without the document's id."""
    kept = {name: thread.get(name) for name in PacketThread.__annotations__}
    return cast(PacketThread, {name: value for name, value in kept.items() if value is not None})


def passages_of(threads: Iterable[Thread], sections: Iterable[Section]) -> list[Passage]:
    """Returns the sections that threads are in, in their order."""
    numbers = {thread["section"] for thread in threads}
    return [{"number": one.number, "markdown": one.text} for one in sections if one.number in numbers]


def packet_link(document: StoredDocument, site_url: str | None) -> PacketLink:
    """Returns a document to link to, with the address of its page where the project has a site."""
    url = page_url(site_url, document["slug"]) if site_url else ""
    return record_of(PacketLink, document, url=url)


class StyledProject(TypedDict):
    """The setting of a project."""

    guidelines: Annotated[str, doc("the house style for writers, as markdown")]
