"""The formats of a site's feeds: Atom (RFC 4287) with a summary of each publication, and the sitemap (sitemaps.org)."""

import re
from collections.abc import Iterator
from uuid import NAMESPACE_OID, uuid5
from xml.sax.saxutils import escape, quoteattr

from app.operations.context import Context
from app.operations.delivery_caches import DeliveryCaches
from app.operations.sites import Site, last_published_at, published_documents
from app.records.delivery import Categories
from app.rules.documents import Snapshot
from app.rules.sites import home_url, page_url
from app.rules.times import wire_time

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'

MAX_PAGES = 50_000
"""The most pages a sitemap may have; it lists the newest."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


def atom_lines(ctx: Context, caches: DeliveryCaches, site: Site, limit: int, address: str | None) -> Iterator[str]:
    """Yields the feed of at most `limit` documents, an entry at a time; `address` is where the feed is published."""
    categories = caches.categories(ctx, site.revision)
    yield _atom_head(ctx, site, wire_time(last_published_at(ctx) or site.created_at), address)
    for row in published_documents(ctx, limit):
        yield _atom_entry(site, row["id"], row["snapshot"], categories)
    yield "</feed>\n"


def sitemap_lines(ctx: Context, caches: DeliveryCaches, site: Site) -> Iterator[str]:
    """Yields the sitemap, a page at a time."""
    categories = caches.published_categories(ctx, site.revision) if site.category_url else []
    yield f'{DECLARATION}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    for category in categories:
        yield f"<url><loc>{_text(page_url(site.category_url, category.slug))}</loc></url>\n"
    for row in published_documents(ctx, MAX_PAGES - len(categories), bare=True):
        address = _text(page_url(site.url, row["snapshot"]["slug"]))
        yield f"<url><loc>{address}</loc><lastmod>{wire_time(row['snapshot']['updatedAt'])}</lastmod></url>\n"
    yield "</urlset>\n"


def _atom_head(ctx: Context, site: Site, updated: str, address: str | None) -> str:
    name = _text(site.name)
    link = f'<link rel="self" type="application/atom+xml" href={_attribute(address)}/>\n' if address else ""
    return (
        f'{DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{_permanent(ctx.project_id)}</id>\n<title>{name}</title>\n<updated>{updated}</updated>\n{link}"
        f'<link rel="alternate" type="text/html" href={_attribute(home_url(site.url))}/>\n'
        f"<author><name>{name}</name></author>\n"
    )


def _atom_entry(site: Site, document_id: str, snapshot: Snapshot, categories: Categories) -> str:
    category = categories.get(snapshot["categoryId"] or "")
    term = f"<category term={_attribute(category.slug)} label={_attribute(category.name)}/>\n" if category else ""
    summary = f"<summary>{_text(excerpt)}</summary>\n" if (excerpt := snapshot.get("excerpt")) else ""
    return (
        f"<entry>\n<id>{_permanent(document_id)}</id>\n<title>{_text(snapshot['title'])}</title>\n"
        f'<link rel="alternate" type="text/html" href={_attribute(page_url(site.url, snapshot["slug"]))}/>\n'
        f"<published>{wire_time(snapshot['publishedAt'])}</published>\n"
        f"<updated>{wire_time(snapshot['updatedAt'])}</updated>\n{term}{summary}</entry>\n"
    )


def _permanent(record_id: str) -> str:
    """Returns an id that stays when the slug, the site or the server moves, as Atom demands."""
    return f"urn:uuid:{uuid5(NAMESPACE_OID, record_id)}"


def _text(value: str) -> str:
    return escape(_ILLEGAL.sub("", value))


def _attribute(value: str) -> str:
    return quoteattr(_ILLEGAL.sub("", value))
