"""Renders markdown to the html that is delivered: before the transaction that publishes it, and for previews."""

from dataclasses import dataclass

from app.operations.concurrency import processing
from app.operations.context import Context
from app.operations.guards import refusal_of
from app.operations.provenance import provenance_of
from app.operations.revisions import markdown_of
from app.rules.provenance import Provenance
from app.rules.publishing import Rendered, refuse_publication, rendered
from app.schemas.loading import Fields
from app.store.shared_cache import SharedCache

_renderable: SharedCache[bool] = SharedCache(10_000, size_of=lambda known: 1)
"""Whether contents that were rendered before can be published; a content never changes."""


@dataclass(frozen=True)
class Rendering:
    """A rendered content; without text if it can't be published."""

    content_id: str
    version: int
    text: Rendered | None
    provenance: Provenance
    """Who wrote it."""


def render_document(ctx: Context, document_id: str, *_: Fields) -> Rendering | None:
    """Renders a document's present content; None when there is none, or publishing will be refused without it."""
    document = ctx.store.documents.get(ctx.project_id, document_id)
    if document is None or refusal_of(ctx, document, refuse_publication, ctx.call):
        return None
    content_id = document.get("contentId")
    if content_id is None:
        return None
    body = ctx.store.bodies.get(ctx.project_id, content_id)
    text = render_content(ctx, content_id, body["text"] if body else "")
    return Rendering(content_id, document["version"], text, provenance_of(ctx, body if text else None))


def is_renderable(ctx: Context, content_id: str, markdown: str | None) -> bool:
    """Returns whether a content can be published; where that is not known it is rendered, and read where not given."""
    if (known := _renderable.get(content_id)) is not None:
        return known
    return render_content(ctx, content_id, markdown_of(ctx, content_id) if markdown is None else markdown) is not None


def render_content(ctx: Context, content_id: str, markdown: str) -> Rendered | None:
    """Renders a content; None when its html is too large, which is remembered."""
    if _renderable.get(content_id) is False:
        return None
    with processing(ctx, markdown):
        text = rendered(markdown)
    _renderable.put(content_id, text is not None)
    return text
