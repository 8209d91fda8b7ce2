"""A site's Atom feed and its sitemap, written in batches: 50,000 documents take no more memory than 1,000.

Both need the project's `siteUrl`, since their entries are URLs of pages. (decisions, section 7)
"""

import hashlib
from collections.abc import Callable, Iterable

from flask import Response, request

from app.errors import BadRequest
from app.fields.loading import cached_schema, load
from app.fields.queries import FeedQuery, from_query
from app.fields.types import Schema
from app.http import answers
from app.http.callers import callers
from app.http.unknown import check_query, refuse_unknown_if_strict, response_headers
from app.operations.context import Context
from app.operations.delivery_caches import DeliveryCaches
from app.operations.sites import Site, read_site
from app.settings import Settings
from app.vocabulary import Channel, TokenKind
from graphql_app.feed_formats import atom_lines, sitemap_lines


class Feeds:
    """The two views."""

    def __init__(self, settings: Settings, caches: DeliveryCaches) -> None:
        self._caches = caches
        self._cache_control = settings.delivery_cache_control
        self._public_url = settings.public_url.rstrip("/")

    def atom(self) -> Response:
        """Responds with the Atom feed of the latest publications."""
        ctx = callers().context(TokenKind.DELIVERY, Channel.GRAPHQL)
        _check_query(FeedQuery)
        limit: int = load(FeedQuery, from_query(cached_schema(FeedQuery), request.args))["limit"]
        address = self._address(f"{request.path}?limit={limit}" if request.args else request.path)
        return self._respond(
            ctx,
            f"atom {limit} {address}",
            "application/atom+xml; charset=utf-8",
            lambda site: atom_lines(ctx, self._caches, site, limit, address),
        )

    def sitemap(self) -> Response:
        """Responds with the sitemap of all that is published, up to the 50,000 pages that one may have."""
        ctx = callers().context(TokenKind.DELIVERY, Channel.GRAPHQL)
        _check_query(Schema)
        return self._respond(
            ctx, "sitemap", "application/xml; charset=utf-8", lambda site: sitemap_lines(ctx, self._caches, site)
        )

    def _address(self, path: str) -> str | None:
        """Returns the public address of a path; None without `PUBLIC_URL`, as a request's `Host` can be anything."""
        return f"{self._public_url}{path}" if self._public_url else None

    def _respond(
        self, ctx: Context, variant: str, content_type: str, lines: Callable[[Site], Iterable[str]]
    ) -> Response:
        site = read_site(ctx)
        if not site.url:
            raise BadRequest("The project has no `siteUrl` to make URLs of pages from: set it with `PATCH /project`.")
        response = Response(content_type=content_type)
        response.headers["Cache-Control"] = self._cache_control
        response.headers["Vary"] = "Authorization"
        version = (ctx.project_id, site.rev, site.revision, variant)
        tag = hashlib.sha256(repr(version).encode()).hexdigest()[:32]
        response.set_etag(tag)
        if request.if_none_match.contains_weak(tag):
            response.status_code = 304
        else:
            response.headers.update(response_headers())
            answers.fill(response, (line.encode() for line in lines(site)))
        return response


def _check_query(schema: type[Schema]) -> None:
    """Notes unknown parameters for `Ignored-Fields`, or refuses them, as the client prefers (decisions, section 11)."""
    check_query(cached_schema(schema))
    refuse_unknown_if_strict()
