"""The headers and the error pages of the console, and of what features serve elsewhere with its templates."""

import gzip

from flask import Blueprint, Response, request
from werkzeug import Response as BaseResponse
from werkzeug.exceptions import HTTPException

from app.console.frame import POLICY, problem_page
from app.core.errors import HttpApiDecodeError, NotFound, PayloadTooLarge, Refusal
from app.http.errors import bug

COMPRESSED = ("text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml")
LEVEL = 4
"""How hard pages and assets are compressed: 300 KB take 3 ms, and become 25 KB."""


def add_headers(response: Response) -> Response:
    """Adds the headers of a page: its policies, and that it is not cached; compresses pages and assets.

    The length of a compressed page can reveal what is on it when another site chooses a part of it (BREACH). No other
    site can: browsers send the session's cookie, which is `SameSite=Strict`, with requests of the console's own pages.
    """
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers["Referrer-Policy"] = "same-origin"  # `page_before` reads it
    if not response.headers.get("Cache-Control"):
        response.headers["Cache-Control"] = "no-store"
    if response.mimetype in COMPRESSED:
        response.vary.add("Accept-Encoding")
    if response.mimetype in COMPRESSED and request.accept_encodings["gzip"] > 0:
        response.direct_passthrough = False  # which an asset is, as a file
        response.set_data(gzip.compress(response.get_data(), LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def respond_with_pages(blueprint: Blueprint) -> None:
    """Gives a blueprint the headers and the error pages of the console."""
    blueprint.after_request(add_headers)
    blueprint.register_error_handler(Refusal, problem_page)
    blueprint.register_error_handler(HTTPException, _framework_error)
    blueprint.register_error_handler(Exception, _unexpected)


def _framework_error(error: HTTPException) -> BaseResponse:
    """Returns the page for an error of Flask or werkzeug."""
    kinds: dict[int | None, Refusal] = {404: NotFound("The console has no such page."), 413: PayloadTooLarge()}
    return problem_page(kinds.get(error.code) or HttpApiDecodeError(error.description))


def _unexpected(error: Exception) -> BaseResponse:
    """Returns the page for a bug: the request's id, and no internals."""
    return problem_page(bug(error))
