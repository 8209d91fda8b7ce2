"""The sitemap (sitemaps.org, 0.9): the address of every page, and when it last changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.operations.context import Context
from app.operations.delivery import DeliveryReader, Site
from app.rules.sites import page_url
from app.rules.times import wire_time
from graphql_app.xml import DECLARATION, text

MOST = 50_000
"""How many pages a sitemap may have: of more documents, the newest."""


def lines(ctx: Context, reader: DeliveryReader, site: Site, query: Mapping[str, Any]) -> Iterator[str]:
    """Yields the sitemap, a page at a time."""
    yield f'{DECLARATION}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    for row in reader.every(ctx, MOST, bare=True):
        address = text(page_url(site.url, row["snapshot"]["slug"]))
        yield f"<url><loc>{address}</loc><lastmod>{wire_time(row['snapshot']['updatedAt'])}</lastmod></url>\n"
    yield "</urlset>\n"
