"""Puts the console on a Flask app."""

from flask import Flask, abort, redirect, request, url_for
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
