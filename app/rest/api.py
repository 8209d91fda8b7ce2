"""Puts the management API on a Flask app: its routes, its OpenAPI document and the page that shows it."""

from typing import Any

from flask import Flask

from app.features import OPERATIONS
from app.rest import health
from app.rest.blueprint import Routes
from app.rest.openapi import TAGS, make_document
from app.rest.reference import serve_reference
from app.rest.route import in_order, routes_of
from app.settings import Settings

SERVED = in_order(route for operation in OPERATIONS for route in routes_of(operation))
"""The routes of all operations."""


def _blueprints() -> list[Routes]:
    """Returns the blueprints that serve the routes, one for each tag."""
    by_tag = {tag: Routes(tag, __name__, description) for tag, description in TAGS.items()}
    for route in SERVED:
        by_tag[route.tag].serve(route)
    return list(by_tag.values())


ROUTES = _blueprints()


def install(app: Flask, settings: Settings) -> None:
    """Serves the management API, and its reference where that is wanted."""
    for routes in (*ROUTES, health.routes):
        app.register_blueprint(routes, url_prefix=settings.base_path or None)
    if settings.serve_docs:
        serve_reference(app, lambda: openapi_document(settings), settings.base_path)


def openapi_document(settings: Settings) -> dict[str, Any]:
    """Returns the OpenAPI document; to make it takes a second."""
    return make_document(settings, (*ROUTES, health.routes), SERVED)
