"""A site's Atom feed (RFC 4287) with a summary of each publication, or its html too, and its sitemap (sitemaps.org).

They are written in batches: 50,000 documents take no more memory than 1,000. Both need the project's `siteUrl`, since
their entries are URLs of pages. (decisions, section 7)
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from flask import Response, request, stream_template

from app.errors import BadRequest, HttpApiDecodeError
from app.http import responses
from app.http.callers import callers
from app.http.unknown import note_unknown_query, refuse_unknown_if_strict, response_headers
from app.operations.context import Context
from app.operations.delivery_caches import categories_at, published_categories, read_delivered
from app.operations.sites import Site, last_published_at, newest_html, publications, read_site
from app.rules.publishing import Publication
from app.rules.sites import feed_url, home_url, page_url
from app.rules.times import wire_time
from app.schemas.loading import cached_schema, load
from app.schemas.queries import FeedQuery, from_query
from app.schemas.types import Schema
from app.settings import Settings
from app.vocabulary import Channel

MAX_PAGES = 50_000
"""The most pages a sitemap may have; it lists the newest."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

Stream = Iterator[str]
"""A long response, part by part."""


class Feeds:
    """The two views."""

    def __init__(self, settings: Settings) -> None:
        self._cache_control = settings.delivery_cache_control
        self._public_url = settings.public_url.rstrip("/")
        self._with_html = settings.feed_html

    def atom(self) -> Response:
        """Responds with the Atom feed of the latest publications."""
        ctx = callers().context(Channel.GRAPHQL)
        limit: int = _parameters(FeedQuery)["limit"]
        path = f"{request.path}?limit={limit}" if request.args else request.path
        address = f"{self._public_url}{path}" if self._public_url else ""  # not by `Host`, which can be anything
        variant = f"atom {limit} {address} {self._with_html}"

        def atom(ctx: Context, site: Site) -> Stream:
            return stream_template(
                "delivery/feed.xml",
                site=site,
                project_id=ctx.project_id,
                updated=wire_time(last_published_at(ctx) or site.created_at),
                address=address or feed_url(site.url) or path,
                home=home_url(site.url),
                entries=entries(ctx, limit, with_html=self._with_html),
                categories=categories_at(ctx, site.revision.number),
                **FUNCTIONS,
            )

        return self._respond(ctx, variant, "application/atom+xml; charset=utf-8", atom)

    def sitemap(self) -> Response:
        """Responds with the sitemap of the published pages, at most 50,000 of them."""
        ctx = callers().context(Channel.GRAPHQL)
        _parameters(Schema)

        def sitemap(ctx: Context, site: Site) -> Stream:
            categories = published_categories(ctx, site.revision.number) if site.category_url else []
            batches = publications(ctx, MAX_PAGES - len(categories), bare=True)
            rows = chain.from_iterable(batches)
            return stream_template("delivery/sitemap.xml", site=site, categories=categories, rows=rows, **FUNCTIONS)

        return self._respond(ctx, "sitemap", "application/xml; charset=utf-8", sitemap)

    def _respond(
        self, ctx: Context, variant: str, content_type: str, stream: Callable[[Context, Site], Stream]
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
            return response
        response.headers.update(response_headers())

        def fill(ctx: Context) -> None:
            responses.fill(response, (_ILLEGAL.sub("", part).encode() for part in stream(ctx, site)))

        read_delivered(ctx, site.revision, fill)
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


def entries(ctx: Context, limit: int, *, with_html: bool) -> Iterator[tuple[Publication, str | None]]:
    """Yields at most `limit` publications, each with its html.

    With html, the newest ones have it, at most 1,000 and 16 MB together; the others None.
    """
    for number, rows in enumerate(publications(ctx, limit)):
        texts = newest_html(ctx, rows) if with_html and not number else {}
        for row in rows:
            yield row, texts.get(row["htmlId"])


def permanent(record_id: str) -> str:
    """Returns an id that stays when the slug, the site or the server moves, as Atom demands."""
    return f"urn:uuid:{uuid5(NAMESPACE_OID, record_id)}"


FUNCTIONS = {"page_url": page_url, "permanent": permanent, "wire_time": wire_time}
"""What the templates call."""
