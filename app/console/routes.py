"""Puts the console on a Flask app, with its styles, scripts and icons."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Flask, Response, abort, current_app, redirect, request, send_file, url_for
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


APP = Path(__file__).parents[1]
YEAR = 31_536_000


class Assets(NamedTuple):
    """The files that pages load, by name, and a hash of all: one, so that modules import each other by plain names."""

    files: Mapping[str, Path]
    version: str


def assets_of(app: Flask) -> Assets:
    """Returns the assets of the console and of the features that an application has."""
    return _assets_in("console", *(one.folder for one in app.extensions["console"]))


@cache
def _assets_in(*folders: str) -> Assets:
    files = {file.name: file for folder in folders for file in sorted((APP / folder / "assets").glob("*"))}
    content = b"".join(name.encode() + file.read_bytes() for name, file in files.items())
    return Assets(files, hashlib.blake2b(content, digest_size=8).hexdigest())


@console.get("/assets/<version>/<name>")
def asset(version: str, name: str) -> Response:
    """Returns an asset; one of another version than this server's is not cached by browsers."""
    files, current = assets_of(current_app)
    if name not in files:
        abort(404)
    response = send_file(files[name], conditional=False)
    response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable" if version == current else "no-store"
    return response


@console.app_template_global("asset")
def address_of(name: str) -> str:
    """Returns the address of an asset."""
    return url_for("console.asset", version=assets_of(current_app).version, name=name)
