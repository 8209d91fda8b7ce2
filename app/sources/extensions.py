"""What texts, packets, publications and reviews have of sources (decisions, section 22)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from app.checks.operations import checks_of
from app.checks.rules import failed
from app.checks.vocabulary import CheckLevel, CheckName
from app.core.concurrency import processing
from app.core.context import Context
from app.core.features import Description
from app.core.schemas.loading import Fields
from app.core.store.bodies import StoredBody
from app.documents.record import StoredDocument
from app.projects.gates import Attempt
from app.sources.checks import Evidence
from app.sources.citations import Citations
from app.sources.operations import cited_in, sources_of
from app.sources.responses import MOST_IN_PACKET, packet_source
from app.sources.rules import (
    DeliveredSource,
    definitions_after,
    delivered_sources,
    in_order,
    rendered_with,
    reviewed_sources,
)

ATTESTED = (CheckName.SOURCES_KNOWN, CheckName.QUOTES_VERBATIM)
"""The checks that must pass, whatever their level, where a person attests that they checked the sources."""


def footnotes(ctx: Context, document: StoredDocument, markdown: str) -> str:
    """Returns the markdown to render, with the definitions of the sources that it cites."""
    sources = sources_of(ctx, document)
    with processing(ctx, markdown):
        return rendered_with(markdown, sources, ctx.content.of)


def evidence_for_checks(ctx: Context, document: StoredDocument, markdown: str) -> Mapping[str, Any]:
    """Returns what the checks compare a text with, and what makes the markdown whose html has its footnotes."""
    sources = sources_of(ctx, document)
    return {
        "evidence": Evidence({one["number"]: one for one in sources}, partial(Citations, markdown, ctx.content.of)),
        "to_render": partial(rendered_with, markdown, sources, ctx.content.of),
        "cited_addresses": lambda: {one["url"] for one in in_order(cited_in(ctx, markdown), sources) if one["url"]},
    }


def sources_of_publication(ctx: Context, document: StoredDocument, body: StoredBody | None) -> Mapping[str, Any]:
    """Returns the cited sources as they are published."""
    sources = sources_of(ctx, document)
    return {"sources": delivered_sources(cited_in(ctx, body["text"]), sources) if sources and body else []}


def describe_sources(query: Any, document: Any) -> Description:
    """Returns the sources of a published document as JSON and front matter have them, and their definitions."""
    stored: Sequence[DeliveredSource] = document.row.get("sources") or ()
    listed = [{"published" if name == "publishedOn" else name: value for name, value in one.items()} for one in stored]
    return Description(
        fields={"sources": [{**one, "publisher": one["publisher"] or None} for one in stored]},
        front_matter={"sources": listed},
        definitions=lambda markdown: definitions_after(markdown, stored),
    )


def sources_of_review(ctx: Context, document: StoredDocument, markdown: str) -> Mapping[str, Any]:
    """Returns the cited sources as the record of a review keeps them."""
    sources = sources_of(ctx, document)
    return {"sourceList": reviewed_sources(cited_in(ctx, markdown), sources) if sources else []}


def sources_of_packet(ctx: Context, packet: Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    """Returns the sources of a packet's document; `truncated` names them where an excerpt was cut."""
    attempt: Attempt = packet["attempt"]
    sources = sources_of(ctx, attempt.record)
    cited = cited_in(ctx, attempt.markdown) if sources else {}
    cut = any(len(one["excerpt"]) > MOST_IN_PACKET for one in sources)
    return {"sources": [packet_source(one, cited) for one in sources], **({"truncated": ["sources"]} if cut else {})}


def unattested(ctx: Context, document: StoredDocument, markdown: str) -> bool:
    """Returns whether a cited source was not compared, or a reference or a quotation is wrong."""
    sources = sources_of(ctx, document)
    if any(one["verifiedAt"] is None for one in in_order(cited_in(ctx, markdown), sources)):
        return True
    levels: dict[str, str] = {name: CheckLevel.WARNING if name in ATTESTED else CheckLevel.OFF for name in CheckName}
    return bool(failed(checks_of(ctx, document, levels, markdown, links=())))
