"""Puts the console on a Flask app, with its styles, scripts and icons."""

import hashlib
from functools import cache
from pathlib import Path

from flask import Flask, Response, abort, redirect, request, send_from_directory, url_for
from werkzeug import Response as BaseResponse

from app.console import (  # noqa: F401  # their pages and template filters are on the blueprint
    additions,
    assets,
    board,
    calendar,
    documents,
    filing,
    lookups,
    members,
    moves,
    planning,
    plots,
    projects,
    signing_in,
    table,
    tokens,
    words,
)
from app.console.frame import console
from app.console.responses import respond_with_pages
from app.core.errors import NotFound
from app.core.features import Features
from app.settings import Settings


def install(app: Flask, settings: Settings, features: Features) -> None:
    """Serves the console at `/console`; to a browser, `GET /` redirects there."""
    additions.install(app, settings, console, features.pages())
    app.add_url_rule("/", "root", _root, methods=["GET"])


def _root() -> BaseResponse:
    accepts = request.accept_mimetypes
    if not accepts.accept_html or accepts["text/html"] <= accepts["application/json"]:
        abort(404)
    return redirect(url_for("console.home"), 302)


@console.get("/")
def home() -> BaseResponse:
    """Redirects to the board."""
    return redirect(url_for("console.show_board"), 302)


@console.get("/<path:path>")
def unknown(path: str) -> BaseResponse:
    """Responds that there is no such page."""
    raise NotFound("The console has no such page.")


respond_with_pages(console)


FOLDER = Path(__file__).parent / "assets"
YEAR = 31_536_000


@cache
def digest() -> str:
    """Returns a hash of all assets: one for all, so that modules import each other by their plain names."""
    content = b"".join(file.name.encode() + file.read_bytes() for file in sorted(FOLDER.iterdir()))
    return hashlib.blake2b(content, digest_size=8).hexdigest()


@console.get("/assets/<version>/<name>")
def asset(version: str, name: str) -> Response:
    """Returns an asset; one of another version than this server's is not cached by browsers."""
    response = send_from_directory(FOLDER, name, conditional=False)
    current = version == digest()
    response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable" if current else "no-store"
    return response


@console.app_template_global("asset")
def address_of(name: str) -> str:
    """Returns the address of an asset."""
    return url_for("console.asset", version=digest(), name=name)
