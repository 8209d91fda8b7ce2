"""Puts the management API on a Flask app: its routes, its OpenAPI document and the page that shows it."""

import re
from typing import Any

from flask import Flask

from app.rest import (
    briefs,
    categories,
    clusters,
    documents,
    events,
    health,
    inbox,
    intents,
    members,
    projects,
    provenance,
    threads,
    tokens,
    webhooks,
)
from app.rest.blueprint import Routes
from app.rest.openapi import make_document
from app.rest.reference import serve_reference
from app.settings import Settings

RESOURCES = (
    *(intents, briefs, documents, threads, provenance, categories, clusters, members, tokens, events, inbox, webhooks),
    projects,
)
ROUTES: list[Routes] = [resource.routes for resource in RESOURCES]
SERVED = [route for routes in ROUTES for route in routes.served]
"""The routes of all operations."""


def addresses() -> dict[str, tuple[str, str]]:
    """Returns the method and the path of each operation's route, by the operation's name."""
    return {route.operation.name: (route.method, re.sub(r"<(\w+)>", r":\1", route.path)) for route in SERVED}


def install(app: Flask, settings: Settings) -> None:
    """Serves the management API, and its reference where that is wanted."""
    for routes in (*ROUTES, health.routes):
        app.register_blueprint(routes, url_prefix=settings.base_path or None)
    if settings.serve_docs:
        serve_reference(app, lambda: openapi_document(settings), settings.base_path)


def openapi_document(settings: Settings) -> dict[str, Any]:
    """Returns the OpenAPI document; to make it takes a second."""
    return make_document(settings, (*ROUTES, health.routes), SERVED)
