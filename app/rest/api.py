"""Puts the management API on a Flask app: its routes, its OpenAPI document and the page that shows it."""

from functools import cache
from typing import Any

from flask import Flask

from app.core.features import Features
from app.rest import health
from app.rest.blueprint import Routes
from app.rest.openapi import TAGS, make_document
from app.rest.reference import serve_reference
from app.rest.route import Route, in_order, routes_of
from app.settings import Settings


@cache
def served(features: Features) -> tuple[Route, ...]:
    """Returns the routes of all operations of an application."""
    return tuple(in_order(route for operation in features.operations for route in routes_of(operation, features)))


@cache
def streamed(features: Features) -> tuple[Route, ...]:
    """Returns the routes whose bodies or responses are NDJSON of any length."""
    return tuple(route for operation in features.streams for route in routes_of(operation, features))


@cache
def blueprints_of(features: Features) -> tuple[Routes, ...]:
    """Returns the blueprints that serve the routes of an application, one for each tag."""
    by_tag = {tag: Routes(tag, __name__, description) for tag, description in TAGS.items()}
    for route in (*served(features), *streamed(features)):
        by_tag[route.tag].serve(route)
    return tuple(routes for routes in by_tag.values() if routes.served)


def install(app: Flask, settings: Settings, features: Features) -> None:
    """Serves the management API, and its reference where that is wanted."""
    for routes in (*blueprints_of(features), health.routes):
        app.register_blueprint(routes, url_prefix=settings.base_path or None)
    app.config["WITH_OWN_LIMITS"].update(f"{route.tag}.{route.name}" for route in streamed(features))
    if settings.serve_docs:
        serve_reference(app, lambda: openapi_document(settings, features), settings.base_path)


def openapi_document(settings: Settings, features: Features) -> dict[str, Any]:
    """Returns the OpenAPI document; to make it takes a second."""
    routes = (*served(features), *streamed(features))
    return make_document(settings, features, (*blueprints_of(features), health.routes), routes)
