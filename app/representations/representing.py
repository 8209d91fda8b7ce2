"""A published document as markdown, html or JSON, and the table of contents (decisions, section 21)."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from app.core.context import Context
from app.core.errors import NotFound, ServiceUnavailable, WriteConflict
from app.core.features import Description
from app.core.store.delivery_revisions import Revision
from app.delivery.caches import categories_at
from app.delivery.queries import DeliveredDocument, DeliveryQuery
from app.delivery.responses import DeliveredCategory
from app.delivery.site_addresses import page_url
from app.delivery.sites import publications
from app.publications.store import Publications
from app.representations.front_matter import front_matter

MARKDOWN, HTML, JSON = "text/markdown", "text/html", "application/json"
MOST_LISTED = 1_000
READ_AGAIN = 3
"""How often a document is read whose text was replaced before it could be read."""
SUFFIX = ".md"

_ESCAPED = re.compile(r"[\\`*_\[\]<>&~|#!]")


def find_slug(ctx: Context, slug: str) -> tuple[str, bool]:
    """Returns the slug of an address under `/delivery/documents/`, and whether it asks for markdown."""
    is_whole = not slug.endswith(SUFFIX) or ctx.store[Publications].find_by_slug(ctx.project_id, slug) is not None
    return (slug, False) if is_whole else (slug.removesuffix(SUFFIX), True)


def represent(ctx: Context, revision: Revision, slug: str, media_type: str, site_url: str, hold: Any) -> Any:
    """Returns the document under a slug: a text, or for JSON an object.

    Raises `NotFound`; `hold` may refuse the size of its texts.
    """
    for _ in range(READ_AGAIN):
        query = DeliveryQuery(ctx, revision)
        found = ctx.store[Publications].find_by_slug(ctx.project_id, slug)
        if found is None:
            raise NotFound("No document is delivered under this slug.")
        document = query.published([found])[0]
        shown = REPRESENTATIONS[media_type](query, document, site_url)
        with suppress(WriteConflict):
            query.texts.read(hold)
            return shown()
    raise ServiceUnavailable("The document is being published over and over: try again in a moment.")


def _descriptions(query: DeliveryQuery, document: DeliveredDocument) -> list[Description]:
    return [one.describe(query, document) for one in query.ctx.features.features if one.describe]


def _markdown(query: DeliveryQuery, document: DeliveredDocument, site_url: str) -> Callable[[], str]:
    descriptions = _descriptions(query, document)
    text: Any = document.markdown
    values: dict[str, Any] = {
        "title": document.title,
        "description": document.meta_description or document.excerpt,
        "canonical": page_url(site_url, document.slug) if site_url else None,
        "published": document.published_at,
        "updated": document.updated_at,
        "author": document.author and document.author.name,
        "category": "/".join(reversed([one.slug for one in _chain(document.category)])),
        "image": document.cover_image and document.cover_image.url,
    }
    for one in descriptions:
        values |= one.front_matter

    def shown() -> str:
        markdown = text.content
        added = "".join(f"\n\n{part}" for one in descriptions if (part := one.definitions(markdown)))
        return f"{front_matter(values)}\n{markdown}{added}"

    return shown


def _html(query: DeliveryQuery, document: DeliveredDocument, site_url: str) -> Callable[[], str]:
    text: Any = document.html
    return lambda: str(text.content)


def _json(query: DeliveryQuery, document: DeliveredDocument, site_url: str) -> Callable[[], dict[str, Any]]:
    author, image = document.author, document.cover_image
    html: Any = document.html
    markdown: Any = document.markdown
    values = {
        "id": document.id,
        "author": author and author.shown(),
        "category": _category(document.category),
        "clusterId": document.cluster_id,
        "coverImage": image and image.shown(),
        "excerpt": document.excerpt,
        "isPublished": True,
        "metaDescription": document.meta_description,
        "metaTitle": document.meta_title,
        "publishedAt": document.published_at,
        "slug": document.slug,
        "subtitle": document.subtitle,
        "title": document.title,
        "updatedAt": document.updated_at,
        "wordCount": document.word_count,
    }
    for one in _descriptions(query, document):
        values |= one.fields
    return lambda: {**values, "html": html.content, "markdown": markdown.content}


REPRESENTATIONS: dict[str, Callable[[DeliveryQuery, DeliveredDocument, str], Callable[[], Any]]] = {
    MARKDOWN: _markdown,
    HTML: _html,
    JSON: _json,
}
"""The media types, of equals the preferred first; each returns what shows the document once its texts are read."""


def _chain(category: DeliveredCategory | None) -> Iterator[DeliveredCategory]:
    while category is not None:
        yield category
        category = category.category


def _category(category: DeliveredCategory | None) -> dict[str, Any] | None:
    shown: dict[str, Any] | None = None
    for one in reversed([*_chain(category)]):
        fields = {"id": one.id, "name": one.name, "slug": one.slug, "description": one.description}
        shown = {**fields, "category": shown}
    return shown


def table_of_contents(ctx: Context, revision: Revision, project_name: str, address: str) -> str:
    """Returns a list of the newest documents, by category, with the addresses of their markdown."""
    by_category: dict[str | None, list[str]] = defaultdict(list)
    categories = categories_at(ctx, revision.number)
    for rows in publications(ctx, MOST_LISTED):
        for row in rows:
            link = f"{address}delivery/documents/{quote(row['slug'], safe='')}{SUFFIX}"
            excerpt = f": {_escaped(row['excerpt'])}" if row.get("excerpt") else ""
            category = categories.get(row.get("categoryId") or "")
            by_category[category.id if category else None].append(f"- [{_escaped(row['title'])}]({link}){excerpt}")
    parts = [f"# {_escaped(project_name)}"]
    named = [(one.id, _escaped(one.name)) for one in categories.values()]
    for category_id, name in (*named, (None, "Other")):
        if lines := by_category.get(category_id):
            parts += [f"## {name}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _escaped(text: object) -> str:
    return _ESCAPED.sub(r"\\\g<0>", " ".join(str(text).split()))
