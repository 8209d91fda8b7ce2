"""Sources as callers see them: of a document, in its packet, in the record of its review (decisions, section 22)."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import Id, Timestamp, doc
from app.core.records import record_of
from app.sources.rules import DeliveredSource, ReviewedSource, StoredSource

MOST_IN_PACKET = 2_000
"""Maximum number of characters of an excerpt in a work packet."""


class Source(DeliveredSource):
    """A source of a document."""

    id: Annotated[Id, doc("the source's id")]
    excerpt: Annotated[str, doc("the passage that supports the text", "A starter needs five days at room temperature.")]
    note: Annotated[str, doc("for the team alone; empty when unset")]
    createdAt: Annotated[Timestamp, doc("when it was added")]
    createdBy: Annotated[Actor, doc("who added it")]
    updatedAt: Annotated[Timestamp, doc("when its fields last changed")]
    verifiedAt: Annotated[Timestamp | None, doc("when somebody compared the excerpt with the source; null: not yet")]
    verifiedBy: Annotated[Actor | None, doc("who did; null: nobody")]
    cited: Annotated[bool, doc("whether the present text cites it", True)]


class ChangedSource(Source):
    """A source that was added, changed or deleted."""

    version: Annotated[int, doc("the document's version since then: another one where its text cites the source", 4)]


class AddedSources(TypedDict):
    """Several sources that were added."""

    sources: Annotated[list[ChangedSource], doc("the sources, by number")]


class PacketSource(TypedDict):
    """A source as a writer needs it."""

    id: Annotated[Id, doc("the source's id")]
    number: Annotated[int, doc("cite it as `[^s1]`", 1)]
    title: Annotated[str, doc("its title", "Wild yeast")]
    url: Annotated[str | None, doc("its address", "https://example.org/wild-yeast")]
    excerpt: Annotated[
        str, doc("its excerpt, at most 2,000 characters", "A starter needs five days at room temperature.")
    ]
    verified: Annotated[bool, doc("whether a person compared it", False)]
    cited: Annotated[bool, doc("whether the present text cites it", True)]


class WithSources(TypedDict):
    """The part of a work packet."""

    sources: Annotated[list[PacketSource], doc("the document's sources, by number")]


class WithSourceList(TypedDict):
    """The part of the record of a review."""

    sourceList: NotRequired[Annotated[list[ReviewedSource], doc("the cited sources, as they were then")]]


def source_record(source: StoredSource, cited: Mapping[int, int]) -> Source:
    """Returns a stored source as callers see it; `cited` has the numbers that the present text cites."""
    return record_of(Source, source, cited=source["number"] in cited)


def changed_source(source: StoredSource, cited: Mapping[int, int], version: int) -> ChangedSource:
    """Returns a source that was changed, as callers see it, with the version that its document has since then."""
    return {**source_record(source, cited), "version": version}


def packet_source(source: StoredSource, cited: Mapping[int, int]) -> PacketSource:
    """Returns a source as a work packet has it."""
    return record_of(
        PacketSource,
        source,
        excerpt=source["excerpt"][:MOST_IN_PACKET],
        verified=source["verifiedAt"] is not None,
        cited=source["number"] in cited,
    )


def without_excerpt(source: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what MCP shows of a source that was written: its caller has just sent the excerpt."""
    return {name: value for name, value in source.items() if name != "excerpt"}


def minimal_source(source: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a caller needs of a source that it changed."""
    return {name: source[name] for name in ("id", "number", "cited", "version") if name in source}
