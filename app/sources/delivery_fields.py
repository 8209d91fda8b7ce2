"""The sources of a document as fields of the delivery API (decisions, section 22)."""

from collections.abc import Mapping, Sequence
from typing import Any

import strawberry
from strawberry import field

from app.core.context import Context
from app.core.features import DeliveryField
from app.core.store.bodies import Bodies
from app.delivery.queries import DeliveredDocument, DeliveredPreview
from app.documents.record import StoredDocument
from app.sources.operations import cited_in
from app.sources.rules import StoredSource, delivered_sources
from app.sources.store import SourceRecords


@strawberry.type(description="A source that a document cites.")
class Source:
    number: int = field(description="What its text cites it by: `[^s1]`.")
    title: str = field(description="Its title.")
    url: str | None = field(description="Its address, http or https.")
    publisher: str | None = field(description="Who published it.")
    published_on: str | None = field(description="When it was published, `YYYY-MM-DD`.")


def _as_delivered(stored: Sequence[Mapping[str, Any]]) -> list[Source]:
    return [
        Source(
            number=one["number"],
            title=one["title"],
            url=one["url"],
            publisher=one["publisher"] or None,
            published_on=one["publishedOn"],
        )
        for one in stored
    ]


def _published(document: strawberry.Parent[DeliveredDocument]) -> Any:
    return _as_delivered(document.row.get("sources") or () if document.is_published else ())


def _present(preview: strawberry.Parent[DeliveredPreview], info: strawberry.Info) -> Any:
    return info.context.query.of_present(read_sources).get(preview.id) or []


def read_sources(ctx: Context, documents: Sequence[StoredDocument]) -> Mapping[str, list[Source]]:
    """Returns the sources that the present texts of documents cite: two reads, none where no document has sources."""
    cited = {one["id"]: content_id for one in documents if one.get("nextSource") and (content_id := one["contentId"])}
    if not cited:
        return {}
    sources: dict[str, list[StoredSource]] = {}
    for one in ctx.store[SourceRecords].list(ctx.project_id, cited):
        sources.setdefault(one["documentId"], []).append(one)
    texts = ctx.store[Bodies].get_texts(ctx.project_id, cited.values())
    found = {
        one: delivered_sources(cited_in(ctx, texts.get(content_id, "")), sources.get(one, ()))
        for one, content_id in cited.items()
    }
    return {one: _as_delivered(rows) for one, rows in found.items()}


def _field(of: str, resolver: Any, description: str) -> DeliveryField:
    shown = field(name="sources", graphql_type=list[Source], resolver=resolver, description=description)
    return DeliveryField("sources", of, shown)


SOURCES = _field("Document", _published, "The sources that its published text cites, in the order of the text.")
PREVIEWED = _field("Preview", _present, "The sources that its present text cites, in the order of the text.")
