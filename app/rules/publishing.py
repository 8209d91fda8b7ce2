"""What is delivered of a document, as it was when it was published, and where its past slugs lead.

(decisions, sections 5, 7 and 15)
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.fields.slugs import MAX_PAST_SLUGS
from app.rules.documents import PUBLISHED_FIELDS, PastSlug, StoredDocument
from app.rules.rendering import MAX_HTML_BYTES, TooMuchMarkup, to_html
from app.rules.text import first_paragraph
from app.rules.words import search_words


@dataclass(frozen=True)
class Rendered:
    """What publishing makes of markdown, once."""

    html: str
    html_bytes: int
    markdown_bytes: int
    first_paragraph: str | None


def rendered(markdown: str) -> Rendered | None:
    """Returns markdown as it will be delivered; None for `NOT_RENDERABLE`, when its html is too large to store."""
    try:
        html = to_html(markdown)
    except TooMuchMarkup:
        return None
    size = len(html.encode())
    if size > MAX_HTML_BYTES:
        return None
    return Rendered(html, size, len(markdown.encode()), first_paragraph(markdown))


def snapshot(
    document: StoredDocument, text: Rendered, html_id: str, *, published_at: datetime, now: datetime
) -> dict[str, Any]:
    """Returns what is delivered of a document from now on; `published_at` is when it went live."""
    return {
        **{name: document.get(name) for name in PUBLISHED_FIELDS},
        "excerpt": document.get("excerpt") or text.first_paragraph,
        "version": document["version"],
        "markdownId": document["contentId"],
        "markdownBytes": text.markdown_bytes,
        "htmlId": html_id,
        "htmlBytes": text.html_bytes,
        "wordCount": document["wordCount"],
        "publishedAt": published_at,
        "updatedAt": now,
    }


def delivered_words(delivered: Mapping[str, Any]) -> list[str]:
    """Returns the words that a document is found by where it is delivered: of its title, subtitle and excerpt."""
    return search_words(*(delivered.get(name) or "" for name in ("title", "subtitle", "excerpt")))


def previous_slug(document: StoredDocument, slug: str | None) -> dict[str, str]:
    """Returns, for the event, the slug that a document is not delivered under any more; nothing where it stays.

    `slug` is what it is delivered under from now on, None for nothing.
    """
    delivered = document.get("snapshot")
    return {"previousSlug": delivered["slug"]} if delivered and delivered["slug"] != slug else {}


def past_slugs(document: StoredDocument, slug: str | None, now: datetime) -> list[PastSlug]:
    """Returns the past slugs of a document that is delivered under `slug` from now on, the latest first.

    None for a document that is not delivered any more.
    """
    known, snapshot = document.get("pastSlugs") or [], document.get("snapshot")
    if snapshot:
        left = snapshot["slug"]
        known = [PastSlug(slug=left, at=now), *(one for one in known if one["slug"] != left)]
    return [one for one in known if one["slug"] != slug][:MAX_PAST_SLUGS]


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
