"""A site's Atom feed and its sitemap, written a batch at a time: 50,000 documents take no more memory than 1,000.

Both need the project's `siteUrl`, as their entries are addresses of pages. (decisions, section 7)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from flask import Response, request

from app.errors import BadRequest
from app.fields.queries import FeedQuery, from_query
from app.fields.stages import load_shape
from app.http.callers import callers
from app.http.concurrency import ConcurrencyLimit
from app.operations.context import Context
from app.operations.delivery import DeliveryReader
from app.settings import Settings
from app.vocabulary import Channel, TokenKind
from graphql_app import atom, sitemap

IN_MEMORY = 1024 * 1024
"""How many bytes are kept in memory and given to the server whole; what is longer is written to a file first."""
PART = 64 * 1024
SENDS = 3
"""How many long documents are sent at once; with as many bodies as are read at once, that leaves a thread."""

_sending = ConcurrencyLimit(SENDS, "Too many long feeds are being read right now, and slowly: try again soon.")


class Feeds:
    """The two views."""

    def __init__(self, settings: Settings, reader: DeliveryReader) -> None:
        self._reader = reader
        self._cache_control = settings.delivery_cache_control

    def atom(self) -> Response:
        """Answers with the Atom feed of what was published last."""
        ctx = callers().context(TokenKind.DELIVERY, Channel.GRAPHQL)
        query = load_shape(FeedQuery, from_query(FeedQuery, request.args))
        return self._answer(ctx, query, "application/atom+xml; charset=utf-8", atom.lines)

    def sitemap(self) -> Response:
        """Answers with the sitemap of all that is published, up to the 50,000 pages that one may have."""
        ctx = callers().context(TokenKind.DELIVERY, Channel.GRAPHQL)
        return self._answer(ctx, {}, "application/xml; charset=utf-8", sitemap.lines)

    def _answer(self, ctx: Context, query: Mapping[str, Any], content_type: str, lines: Any) -> Response:
        site = self._reader.site(ctx)
        if not site.url:
            raise BadRequest("The project has no `siteUrl` to make addresses from: set it with `PATCH /project`.")
        state = (ctx.project_id, site.rev, site.revision, request.url)
        response = Response(content_type=content_type)
        response.headers["Cache-Control"] = self._cache_control
        response.headers["Vary"] = "Authorization"
        response.set_etag(hashlib.sha256(repr(state).encode()).hexdigest()[:32])
        if request.if_none_match.contains_weak(response.get_etag()[0] or ""):
            response.status_code = 304
        elif request.method == "HEAD":
            response.response = iter(())  # of which nobody would take the length for the feed's
        else:
            _fill(response, lines(ctx, self._reader, site, query))
        return response


def _fill(response: Response, lines: Iterable[str]) -> None:
    """Writes a document into a response: whole before any of it is sent, so that no error cuts it off.

    Refuses with `ServiceUnavailable` one that is long while too many others are being sent.
    """
    with ExitStack() as held:
        written = held.enter_context(SpooledTemporaryFile(IN_MEMORY))
        is_long = False
        for line in lines:
            written.write(line.encode())
            if not is_long and (is_long := written.tell() > IN_MEMORY):
                held.enter_context(_sending.turn())
        length = written.tell()
        written.seek(0)
        if not is_long:
            response.set_data(written.read())
            return
        response.response = _parts(written, held.pop_all())
        response.content_length = length


def _parts(file: IO[bytes], held: ExitStack) -> Iterator[bytes]:
    """Returns the parts of a file; at their end, whoever ends them, what they hold is given back."""

    def parts() -> Iterator[bytes]:
        with held:
            yield b""
            while part := file.read(PART):
                yield part

    begun = parts()
    next(begun)  # only what has begun is sure to end
    return begun
