"""A site's Atom feed and its sitemap, written while they are read: 50,000 documents take no more memory than 1,000.

Both need the project's `siteUrl`, as their entries are addresses of pages. (decisions, section 7)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from flask import Response, request

from app.errors import BadRequest
from app.fields.queries import FeedQuery, from_query
from app.fields.stages import load_shape
from app.http.callers import callers
from app.operations.context import Context
from app.operations.delivery import DeliveryReader
from app.settings import Settings
from app.vocabulary import Door, TokenKind
from graphql_app import atom, sitemap

PART = 64 * 1024
"""About how many characters are sent at once."""


class Feeds:
    """The two views."""

    def __init__(self, settings: Settings, reader: DeliveryReader) -> None:
        self._reader = reader
        self._cache_control = settings.delivery_cache_control

    def atom(self) -> Response:
        """Answers with the Atom feed of what was published last."""
        ctx = callers().context(TokenKind.DELIVERY, Door.GRAPHQL)
        query = load_shape(FeedQuery, from_query(FeedQuery, request.args))
        return self._answer(ctx, query, "application/atom+xml; charset=utf-8", atom.lines)

    def sitemap(self) -> Response:
        """Answers with the sitemap of all that is published, up to the 50,000 pages that one may have."""
        ctx = callers().context(TokenKind.DELIVERY, Door.GRAPHQL)
        return self._answer(ctx, {}, "application/xml; charset=utf-8", sitemap.lines)

    def _answer(self, ctx: Context, query: Mapping[str, Any], content_type: str, lines: Any) -> Response:
        site = self._reader.site(ctx)
        if not site.url:
            raise BadRequest("The project has no `siteUrl` to make addresses from: set it with `PATCH /project`.")
        state = (ctx.project_id, site.rev, site.revision, request.path, sorted(query.items()))
        response = Response(content_type=content_type)
        response.headers["Cache-Control"] = self._cache_control
        response.headers["Vary"] = "Authorization"
        response.set_etag(hashlib.sha256(repr(state).encode()).hexdigest()[:32])
        if request.if_none_match.contains_weak(response.get_etag()[0] or ""):
            response.status_code = 304
        elif request.method == "GET":
            response.response = _begun(_parts(lines(ctx, self._reader, site, query)))
        return response


def _parts(lines: Iterator[str]) -> Iterator[bytes]:
    """Yields lines joined to parts that are worth sending."""
    waiting: list[str] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= PART:
            yield "".join(waiting).encode()
            waiting, size = [], 0
    yield "".join(waiting).encode()


def _begun(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Returns the parts with the first made already, so that what fails at once is an answer of its own."""
    return chain(list(islice(parts, 1)), parts)
