"""A publication: a document as it is delivered, and where its past slugs lead (decisions, sections 5, 7 and 15)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.core.text.html import MAX_HTML_BYTES, MAX_REFERENCES, MAX_TAGS, TooMuchMarkup, first_paragraph, to_html
from app.core.text.words import search_words
from app.publications.record import PastSlug, PublishedFields

NOT_RENDERABLE = (
    f"The content's html would be over 15 MB, have over {MAX_TAGS:,} tags, or over {MAX_REFERENCES:,} characters such "
    "as & and no-break spaces, more than can be published: shorten or split the document."
)


class Publication(PublishedFields):
    """Delivered snapshot of a document, under the document's id; its texts are bodies."""

    id: str
    projectId: str
    version: int
    markdownId: str
    htmlId: str
    markdownBytes: int
    htmlBytes: int
    wordCount: int
    publishedAt: datetime
    updatedAt: datetime
    authorId: str | None
    clusterId: str | None
    pastSlugs: list[PastSlug]
    """The slugs that it was delivered under before, the latest first."""
    deliveredIn: int
    """The number of its last change in the order of changes; until somebody reads that, an id of the change."""
    words: list[str]
    """The words of its title, subtitle and excerpt, which searches look for."""


@dataclass(frozen=True)
class Rendered:
    """Markdown as publishing renders it, once."""

    html: str
    html_bytes: int
    markdown_bytes: int
    first_paragraph: str | None


def rendered_html(markdown: str) -> tuple[str, int] | None:
    """Returns the html of markdown and its bytes; None for `NOT_RENDERABLE`."""
    try:
        html = to_html(markdown)
    except TooMuchMarkup:
        return None
    size = len(html.encode())
    return (html, size) if size <= MAX_HTML_BYTES else None


def rendered(markdown: str, to_render: str | None = None) -> Rendered | None:
    """Returns markdown as it will be delivered; None for `NOT_RENDERABLE`, when its html is too large to store.

    `to_render` is the markdown with what features add to it, of which only the html is made.
    """
    found = rendered_html(to_render or markdown)
    if found is None:
        return None
    return Rendered(*found, len(markdown.encode()), first_paragraph(markdown))


def delivered_words(delivered: Mapping[str, Any]) -> list[str]:
    """Returns the words by which the delivery API finds a document: those of its title, subtitle and excerpt."""
    return search_words(*(delivered.get(name) or "" for name in ("title", "subtitle", "excerpt")))


def redirects(left: Iterable[tuple[str, str]], delivered: Iterable[str]) -> Mapping[str, str]:
    """Returns the present slug for each past one.

    `left` are past slugs of documents, each with the present one, those that were left last first; `delivered` are
    those of them that a document is delivered under. Of several documents that left a slug, the latest counts.
    """
    found: dict[str, str] = {}
    taken = set(delivered)
    for slug, present in left:
        if slug not in taken:
            found.setdefault(slug, present)
    return found
