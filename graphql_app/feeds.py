"""A site's Atom feed (RFC 4287) with a summary of each publication, or its html too, and its sitemap (sitemaps.org).

They are written in batches: 50,000 documents take no more memory than 1,000. Both need the project's `siteUrl`, since
their entries are URLs of pages. (decisions, section 7)
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import chain

from flask import Response, request, stream_template

from app.core.context import Context
from app.core.errors import BadRequest
from app.core.schemas.fields import Schema
from app.core.store.request_time import standing_still
from app.core.times import wire_time
from app.core.vocabulary import Channel
from app.delivery.caches import categories_at, published_categories, read_delivered
from app.delivery.schemas import FeedQuery
from app.delivery.site_addresses import atom_id, feed_url, home_url, page_url
from app.delivery.sites import Site, entries, last_published_at, publications, read_site
from app.http import responses
from app.http.callers import callers
from app.http.preferences import query_parameters, response_headers
from app.settings import Settings

MAX_PAGES = 50_000
"""Maximum number of pages of a sitemap; it lists the newest."""

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""


class Feeds:
    """The two views."""

    def __init__(self, settings: Settings) -> None:
        self._cache_control = settings.delivery_cache_control
        self._public_url = settings.public_url.rstrip("/")
        self._with_html = settings.feed_html

    def atom(self) -> Response:
        """Responds with the Atom feed of the latest publications."""
        ctx = callers().context(Channel.GRAPHQL)
        limit: int = query_parameters(FeedQuery)["limit"]
        path = f"{request.path}?limit={limit}" if request.args else request.path
        address = f"{self._public_url}{path}" if self._public_url else ""  # not by `Host`, which can be anything
        variant = f"atom {limit} {address} {self._with_html}"

        def atom(ctx: Context, site: Site) -> Iterator[str]:
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
        query_parameters(Schema)

        def sitemap(ctx: Context, site: Site) -> Iterator[str]:
            categories = published_categories(ctx, site.revision.number) if site.category_url else []
            batches = publications(ctx, MAX_PAGES - len(categories), bare=True)
            rows = chain.from_iterable(batches)
            return stream_template("delivery/sitemap.xml", site=site, categories=categories, rows=rows, **FUNCTIONS)

        return self._respond(ctx, "sitemap", "application/xml; charset=utf-8", sitemap)

    def _respond(
        self, ctx: Context, variant: str, content_type: str, stream: Callable[[Context, Site], Iterator[str]]
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

        with standing_still():  # of up to 50,000 pages each batch is read under the deadline, and written outside
            read_delivered(ctx, site.revision, fill)
        return response


FUNCTIONS = {"page_url": page_url, "atom_id": atom_id, "wire_time": wire_time}
"""Functions that the templates call."""
