"""Puts the console on a Flask app."""

import gzip

from authlib.oauth2 import OAuth2Error
from flask import Blueprint, Flask, Response, abort, redirect, request, url_for
from werkzeug import Response as BaseResponse
from werkzeug.exceptions import HTTPException

from app.console import (  # noqa: F401  # their pages and template filters are on the blueprint
    assets,
    board,
    calendar,
    connecting,
    documents,
    filing,
    insight,
    live,
    lookups,
    members,
    moves,
    notices,
    oidc,
    plan_sheets,
    planning,
    projects,
    provenance,
    reviewing,
    signing_in,
    table,
    tokens,
    visiting,
    webhooks,
    words,
)
from app.console.frame import POLICY, console, problem_page
from app.core.errors import HttpApiDecodeError, NotFound, PayloadTooLarge, Refusal
from app.core.features import Features
from app.http.errors import bug
from app.settings import Settings

COMPRESSED = ("text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml")
LEVEL = 4
"""How hard pages and assets are compressed: 300 KB take 3 ms, and become 25 KB."""


def install(app: Flask, settings: Settings, features: Features) -> None:
    """Serves the console at `/console`; to a browser, `GET /` redirects there."""
    if "oauth" in features:
        oidc.install(app, settings)
    app.register_blueprint(console, features=features)
    if "notices" in features:
        app.register_blueprint(notices.open_to_all)
    app.add_url_rule("/", "root", _root, methods=["GET"])
    if "oauth" in app.extensions:
        app.register_blueprint(authorization)


def _root() -> BaseResponse:
    accepts = request.accept_mimetypes
    if not accepts.accept_html or accepts["text/html"] <= accepts["application/json"]:
        abort(404)
    return redirect(url_for("console.home"), 302)


@console.get("/")
def home() -> BaseResponse:
    """Redirects to the board."""
    return redirect(url_for("console.show_board"), 302)


authorization = Blueprint("authorization", __name__)
"""Where a client sends people; it is outside of `/console`, and no session is sent to it."""
authorization.add_url_rule("/oauth/authorize", view_func=connecting.authorize)
authorization.register_error_handler(OAuth2Error, connecting.refuse_client)


@console.get("/<path:path>")
def unknown(path: str) -> BaseResponse:
    """Responds that there is no such page."""
    raise NotFound("The console has no such page.")


@authorization.after_request
@notices.open_to_all.after_request
@console.after_request
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


console.register_error_handler(Refusal, problem_page)
authorization.register_error_handler(Refusal, problem_page)


@authorization.errorhandler(HTTPException)
@console.errorhandler(HTTPException)
def framework_error(error: HTTPException) -> BaseResponse:
    """Returns the page for an error of Flask or werkzeug."""
    kinds: dict[int | None, Refusal] = {404: NotFound("The console has no such page."), 413: PayloadTooLarge()}
    return problem_page(kinds.get(error.code) or HttpApiDecodeError(error.description))


@authorization.errorhandler(Exception)
@console.errorhandler(Exception)
def unexpected(error: Exception) -> BaseResponse:
    """Returns the page for a bug: the request's id, and no internals."""
    return problem_page(bug(error))
