"""`/delivery/documents/SLUG`, the same with `.md`, and `/delivery/documents.md` (decisions, section 21)."""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import orjson
from flask import Blueprint, Flask, Response, request
from werkzeug.datastructures import MIMEAccept

from app.core.context import Context
from app.core.errors import NotAcceptable, NotFound
from app.core.schemas.fields import Schema
from app.core.vocabulary import Channel
from app.delivery.caches import delivery_revision, read_delivered, read_redirects
from app.http.callers import callers, hold_large
from app.http.cors import DELIVERY_HEADERS, allow_origins
from app.http.preferences import query_parameters, response_headers
from app.projects.store import Projects
from app.representations.representing import (
    JSON,
    MARKDOWN,
    REPRESENTATIONS,
    SUFFIX,
    find_slug,
    represent,
    table_of_contents,
)
from app.settings import Settings

VARY = "Accept, Authorization"


class Documents:
    """The views."""

    def __init__(self, settings: Settings) -> None:
        self._cache_control = settings.delivery_cache_control

    def document(self, slug: str) -> Response:
        """Responds with one document."""
        ctx = callers().context(Channel.GRAPHQL)
        query_parameters(Schema)
        name, is_markdown = find_slug(ctx, normalize("NFC", slug))
        media_type = MARKDOWN if is_markdown else accepted()
        revision = delivery_revision(ctx)
        project = ctx.store[Projects].recent_settings(ctx.project_id)
        site_url = project.get("siteUrl") or ""

        def read(ctx: Context) -> bytes:
            shown = represent(ctx, revision, name, media_type, site_url, hold_large)
            return orjson.dumps(shown) if media_type == JSON else str(shown).encode()

        try:
            variant = (ctx.project_id, revision.number, slug, media_type, site_url)
            return self._respond(variant, media_type, lambda: read_delivered(ctx, revision, read))
        except NotFound:
            moved = next(iter(read_redirects(ctx, name)), None)
            if moved is None:
                raise
        location = quote(moved.to, safe="") + (SUFFIX if is_markdown else "")  # beside this address
        return Response(status=301, headers={"Location": location, **self._headers})

    def contents(self) -> Response:
        """Responds with the table of contents."""
        ctx = callers().context(Channel.GRAPHQL)
        query_parameters(Schema)
        revision, address = delivery_revision(ctx), f"{callers().address.rstrip('/')}/"
        name = ctx.store[Projects].recent_settings(ctx.project_id)["name"]

        def read(ctx: Context) -> bytes:
            return table_of_contents(ctx, revision, name, address).encode()

        variant = (ctx.project_id, revision.number, name, address)
        return self._respond(variant, MARKDOWN, lambda: read_delivered(ctx, revision, read))

    @property
    def _headers(self) -> dict[str, str]:
        return {"Cache-Control": self._cache_control, "Vary": VARY}

    def _respond(self, variant: tuple[Any, ...], media_type: str, read: Callable[[], bytes]) -> Response:
        response = Response(content_type=f"{media_type}; charset=utf-8", headers=self._headers)
        tag = hashlib.sha256(repr(variant).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        known = request.if_none_match
        if known.star_tag:  # any answer will do, but there has to be one
            read()
        if known.contains_weak(tag):
            response.status_code = 304
        else:
            response.data = read()
            response.headers.update(response_headers())
        response.set_etag(tag)
        return response


def accepted() -> str:
    """Returns the media type that the client prefers, of equals the first; refuses with `NotAcceptable`."""
    given = request.accept_mimetypes
    if not given:
        return MARKDOWN
    accept = MIMEAccept((name.partition(";")[0].strip(), quality) for name, quality in given)
    best = max(REPRESENTATIONS, key=accept.quality)
    if not accept.quality(best):
        raise NotAcceptable
    return best


def install(app: Flask, settings: Settings) -> None:
    """Serves published documents."""
    documents = Documents(settings)
    routes = Blueprint("representations", __name__)
    routes.add_url_rule("/delivery/documents.md", "contents", documents.contents)
    routes.add_url_rule("/delivery/documents/<slug>", "document", documents.document)
    routes.after_request(partial(allow_origins, allowed=settings.delivery_allowed_origins, exposed=DELIVERY_HEADERS))
    app.register_blueprint(routes)
