"""The Atom feed (RFC 4287): the latest publications, with a summary of each."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import NAMESPACE_OID, uuid5

from app.operations.context import Context
from app.operations.delivery_caches import DeliveryCaches
from app.operations.sites import Site, last_published_at, published_documents
from app.records.delivery import Categories
from app.rules.documents import Snapshot
from app.rules.sites import home_url, page_url
from app.rules.times import wire_time
from graphql_app.xml import DECLARATION, attribute, text


def lines(ctx: Context, caches: DeliveryCaches, site: Site, limit: int, address: str | None) -> Iterator[str]:
    """Yields the feed of at most `limit` documents, an entry at a time; `address` is where the feed is published."""
    categories = caches.categories(ctx, site.revision)
    yield _head(ctx, site, wire_time(last_published_at(ctx) or site.created_at), address)
    for row in published_documents(ctx, limit):
        yield _entry(site, row["id"], row["snapshot"], categories)
    yield "</feed>\n"


def _head(ctx: Context, site: Site, updated: str, address: str | None) -> str:
    name = text(site.name)
    link = f'<link rel="self" type="application/atom+xml" href={attribute(address)}/>\n' if address else ""
    return (
        f'{DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{_permanent(ctx.project_id)}</id>\n<title>{name}</title>\n<updated>{updated}</updated>\n{link}"
        f'<link rel="alternate" type="text/html" href={attribute(home_url(site.url))}/>\n'
        f"<author><name>{name}</name></author>\n"
    )


def _entry(site: Site, document_id: str, snapshot: Snapshot, categories: Categories) -> str:
    category = categories.get(snapshot["categoryId"] or "")
    term = f"<category term={attribute(category.slug)} label={attribute(category.name)}/>\n" if category else ""
    summary = f"<summary>{text(excerpt)}</summary>\n" if (excerpt := snapshot.get("excerpt")) else ""
    return (
        f"<entry>\n<id>{_permanent(document_id)}</id>\n<title>{text(snapshot['title'])}</title>\n"
        f'<link rel="alternate" type="text/html" href={attribute(page_url(site.url, snapshot["slug"]))}/>\n'
        f"<published>{wire_time(snapshot['publishedAt'])}</published>\n"
        f"<updated>{wire_time(snapshot['updatedAt'])}</updated>\n{term}{summary}</entry>\n"
    )


def _permanent(record_id: str) -> str:
    """Returns an id that stays when the slug, the site or the server moves, as Atom demands."""
    return f"urn:uuid:{uuid5(NAMESPACE_OID, record_id)}"
