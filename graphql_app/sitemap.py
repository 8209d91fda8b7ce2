"""The sitemap (sitemaps.org, 0.9): the URL of every page, and when it last changed."""

from __future__ import annotations

from collections.abc import Iterator

from app.operations.context import Context
from app.operations.delivery_caches import DeliveryCaches
from app.operations.sites import Site, published_documents
from app.rules.sites import page_url
from app.rules.times import wire_time
from graphql_app.xml import DECLARATION, text

MAX_PAGES = 50_000
"""The most pages a sitemap may have; it lists the newest."""


def lines(ctx: Context, caches: DeliveryCaches, site: Site) -> Iterator[str]:
    """Yields the sitemap, a page at a time."""
    categories = caches.published_categories(ctx, site.revision) if site.category_url else []
    yield f'{DECLARATION}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    for category in categories:
        yield f"<url><loc>{text(page_url(site.category_url, category.slug))}</loc></url>\n"
    for row in published_documents(ctx, MAX_PAGES - len(categories), bare=True):
        address = text(page_url(site.url, row["snapshot"]["slug"]))
        yield f"<url><loc>{address}</loc><lastmod>{wire_time(row['snapshot']['updatedAt'])}</lastmod></url>\n"
    yield "</urlset>\n"
