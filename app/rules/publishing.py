"""What is delivered of a document, as it was when it was published (decisions, sections 5 and 7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.rules.documents import PUBLISHED_FIELDS, StoredDocument
from app.rules.html_writer import TooMuchMarkup
from app.rules.rendering import MAX_HTML_BYTES, to_html
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
