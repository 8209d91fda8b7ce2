"""A site's Atom feed (RFC 4287) with a summary of each publication, or its html too, and its sitemap (sitemaps.org).

They are written in batches: 50,000 documents take no more memory than 1,000. Both need the project's `siteUrl`, since
their entries are URLs of pages. (decisions, section 7)
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any
from uuid import NAMESPACE_OID, uuid5
from xml.sax.saxutils import escape, quoteattr

from flask import Response, request

from app.errors import BadRequest, HttpApiDecodeError
from app.http import responses
from app.http.callers import callers
from app.http.unknown import note_unknown_query, refuse_unknown_if_strict, response_headers
from app.operations.context import Context
from app.operations.delivery_caches import DeliveryCaches, read_delivered
from app.operations.sites import Site, last_published_at, newest_html, publications, read_site
from app.responses.delivery import Categories
from app.rules.publishing import Publication
from app.rules.sites import feed_url, home_url, page_url
from app.rules.times import wire_time
from app.schemas.loading import cached_schema, load
from app.schemas.queries import FeedQuery, from_query
from app.schemas.types import Schema
from app.settings import Settings
from app.vocabulary import Channel

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'

MAX_PAGES = 50_000
"""The most pages a sitemap may have; it lists the newest."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


class Feeds:
    """The two views."""

    def __init__(self, settings: Settings, caches: DeliveryCaches) -> None:
        self._caches = caches
        self._cache_control = settings.delivery_cache_control
        self._public_url = settings.public_url.rstrip("/")
        self._with_html = settings.feed_html

    def atom(self) -> Response:
        """Responds with the Atom feed of the latest publications."""
        ctx = callers().context(Channel.GRAPHQL)
        limit: int = _parameters(FeedQuery)["limit"]
        path = f"{request.path}?limit={limit}" if request.args else request.path
        address = f"{self._public_url}{path}" if self._public_url else ""  # not by `Host`, which can be anything
        return self._respond(
            ctx,
            f"atom {limit} {address} {self._with_html}",
            "application/atom+xml; charset=utf-8",
            lambda ctx, site: atom_lines(
                ctx, self._caches, site, limit, address or feed_url(site.url) or path, with_html=self._with_html
            ),
        )

    def sitemap(self) -> Response:
        """Responds with the sitemap of all that is published, up to the 50,000 pages that one may have."""
        ctx = callers().context(Channel.GRAPHQL)
        _parameters(Schema)
        return self._respond(
            ctx, "sitemap", "application/xml; charset=utf-8", lambda ctx, site: sitemap_lines(ctx, self._caches, site)
        )

    def _respond(
        self, ctx: Context, variant: str, content_type: str, lines: Callable[[Context, Site], Iterable[str]]
    ) -> Response:
        site = read_site(ctx)
        if not site.url:
            raise BadRequest("The project has no `siteUrl` to make URLs of pages from: set it with `PATCH /project`.")
        response = Response(content_type=content_type)
        response.headers["Cache-Control"] = self._cache_control
        response.headers["Vary"] = "Authorization"
        version = (ctx.project_id, site.rev, site.revision.number, variant)
        tag = hashlib.sha256(repr(version).encode()).hexdigest()[:32]
        response.set_etag(tag)
        if request.if_none_match.contains_weak(tag):
            response.status_code = 304
        else:
            response.headers.update(response_headers())
            read_delivered(
                ctx, site.revision, lambda ctx: responses.fill(response, (line.encode() for line in lines(ctx, site)))
            )
        return response


def _parameters(schema: type[Schema]) -> dict[str, Any]:
    """Returns the request's parameters. Unknown ones are ignored or refused, as the client prefers.

    Raises `HttpApiDecodeError` with everything that is wrong. (decisions, section 11)
    """
    note_unknown_query(cached_schema(schema))
    try:
        parameters = load(schema, from_query(cached_schema(schema), request.args))
    except HttpApiDecodeError as refusal:
        refuse_unknown_if_strict(refusal)
        raise
    refuse_unknown_if_strict()
    return parameters


def atom_lines(
    ctx: Context, caches: DeliveryCaches, site: Site, limit: int, address: str, *, with_html: bool
) -> Iterator[str]:
    """Yields the feed of at most `limit` documents, an entry at a time; `address` is where the feed is published.

    With html, the newest entries have it, at most 1,000 and 16 MB together.
    """
    categories = caches.categories(ctx, site.revision.number)
    yield _atom_head(ctx, site, wire_time(last_published_at(ctx) or site.created_at), address)
    for number, rows in enumerate(publications(ctx, limit)):
        texts = newest_html(ctx, rows) if with_html and not number else {}
        for row in rows:
            yield _atom_entry(site, row, categories, texts.get(row["htmlId"]))
    yield "</feed>\n"


def sitemap_lines(ctx: Context, caches: DeliveryCaches, site: Site) -> Iterator[str]:
    """Yields the sitemap, a page at a time."""
    categories = caches.published_categories(ctx, site.revision.number) if site.category_url else []
    yield f'{DECLARATION}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    for category in categories:
        yield f"<url><loc>{_text(page_url(site.category_url, category.slug))}</loc></url>\n"
    for row in chain.from_iterable(publications(ctx, MAX_PAGES - len(categories), bare=True)):
        address = _text(page_url(site.url, row["slug"]))
        yield f"<url><loc>{address}</loc><lastmod>{wire_time(row['updatedAt'])}</lastmod></url>\n"
    yield "</urlset>\n"


def _atom_head(ctx: Context, site: Site, updated: str, address: str) -> str:
    name = _text(site.name)
    link = f'<link rel="self" type="application/atom+xml" href={_attribute(address)}/>\n'
    home = home_url(site.url)
    page = f'<link rel="alternate" type="text/html" href={_attribute(home)}/>\n' if home else ""
    return (
        f'{DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{_permanent(ctx.project_id)}</id>\n<title>{name}</title>\n<updated>{updated}</updated>\n{link}{page}"
        f"<author><name>{name}</name></author>\n"
    )


def _atom_entry(site: Site, row: Publication, categories: Categories, html: str | None) -> str:
    category = categories.get(row.get("categoryId") or "")
    term = f"<category term={_attribute(category.slug)} label={_attribute(category.name)}/>\n" if category else ""
    summary = f"<summary>{_text(excerpt)}</summary>\n" if (excerpt := row.get("excerpt")) else ""
    page = _attribute(page_url(site.url, row["slug"]))
    content = "" if html is None else f'<content type="html" xml:base={page}>{_text(html)}</content>\n'
    return (
        f"<entry>\n<id>{_permanent(row['id'])}</id>\n<title>{_text(row['title'])}</title>\n"
        f'<link rel="alternate" type="text/html" href={page}/>\n'
        f"<published>{wire_time(row['publishedAt'])}</published>\n"
        f"<updated>{wire_time(row['updatedAt'])}</updated>\n{term}{summary}{content}</entry>\n"
    )


def _permanent(record_id: str) -> str:
    """Returns an id that stays when the slug, the site or the server moves, as Atom demands."""
    return f"urn:uuid:{uuid5(NAMESPACE_OID, record_id)}"


def _text(value: str) -> str:
    return escape(_ILLEGAL.sub("", value))


def _attribute(value: str) -> str:
    return quoteattr(_ILLEGAL.sub("", value))
