"""Renders markdown to the html that is delivered: before the transaction that publishes it, and for previews."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import unescape

from app.core.concurrency import processing
from app.core.context import Context
from app.core.store.bodies import Bodies, StoredBody
from app.core.store.caches import SharedCache
from app.core.text.html import MAX_HTML_BYTES, TooMuchMarkup, to_html
from app.core.text.words import UNSEEN
from app.documents.record import StoredDocument
from app.publications.rules import Rendered, rendered, rendered_html

_TAG = re.compile(r'<(?:[^>"]|"[^"]*")*+>')
_IMAGE = re.compile(r'<img (?:[^>"]|"[^"]*")*?\bsrc="[^"]')
_renderable: SharedCache[bool] = SharedCache(10_000, size_of=lambda known: 1)
"""Cache of whether rendered contents can be published, by the store and the content's id."""


@dataclass(frozen=True)
class Rendering:
    """A rendered content; without text if it can't be published."""

    content_id: str
    version: int
    body: StoredBody | None
    text: Rendered | None


def render_document(ctx: Context, document: StoredDocument) -> Rendering:
    """Renders the present content of a document that has some."""
    content_id = document["contentId"]
    assert content_id
    body = ctx.store[Bodies].get(ctx.project_id, content_id)
    markdown = body["text"] if body else ""
    text = render_content(ctx, content_id, markdown, ctx.features.to_render(ctx, document, markdown))
    return Rendering(content_id, document["version"], body, text and completed(ctx, text))


def completed(ctx: Context, text: Rendered) -> Rendered | None:
    """Returns a rendered text with what features add to its html; None when that makes it too large."""
    html = ctx.features.publish_html(ctx, text.html)
    size = len(html.encode()) if html != text.html else text.html_bytes
    return replace(text, html=html, html_bytes=size) if size <= MAX_HTML_BYTES else None


def is_renderable(ctx: Context, content_id: str, read: Callable[[], str]) -> bool:
    """Returns whether a content can be published; where that is not known it is read and rendered."""
    if (known := _renderable.get((ctx.store.cache_scope, content_id))) is not None:
        return known
    markdown = read()
    with processing(ctx, markdown):
        known = rendered_html(markdown) is not None
    _renderable.put((ctx.store.cache_scope, content_id), known)
    return known


def is_read(ctx: Context, document: StoredDocument, read: Callable[[], str]) -> bool:
    """Returns whether a document's content has a letter or digit that readers see, or an image with an address.

    Content without words is rendered; what is too large to be counts as read.
    """
    if document["wordCount"] or document.get("contentId") is None:
        return True
    markdown = read()
    try:
        with processing(ctx, markdown):
            html = to_html(markdown)
    except TooMuchMarkup:
        return True
    return bool(_IMAGE.search(html)) or any(map(str.isalnum, UNSEEN.sub("", unescape(_TAG.sub("", html)))))


def render_content(ctx: Context, content_id: str, markdown: str, to_render: str | None = None) -> Rendered | None:
    """Renders a content, or what is `to_render` of it; None when its html is too large, which is remembered."""
    if _renderable.get((ctx.store.cache_scope, content_id)) is False:
        return None
    with processing(ctx, markdown):
        text = rendered(markdown, to_render)
    _renderable.put((ctx.store.cache_scope, content_id), text is not None)
    return text
