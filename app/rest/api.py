"""Puts the management API on a Flask app: its routes, its OpenAPI document and the page that shows it."""

from flask import Flask

from app.rest import (
    briefs,
    categories,
    clusters,
    documents,
    events,
    health,
    intents,
    members,
    projects,
    tokens,
    webhooks,
)
from app.rest.openapi import management_api
from app.rest.reference import serve_reference
from app.settings import Settings

ROUTES = (
    health.routes,
    intents.routes,
    briefs.routes,
    documents.routes,
    categories.routes,
    clusters.routes,
    members.routes,
    tokens.routes,
    events.routes,
    webhooks.routes,
    projects.routes,
)


def install(app: Flask, settings: Settings) -> None:
    """Serves the management API, and its reference where that is wanted."""
    api = management_api(app, settings)
    for routes in ROUTES:
        api.register_blueprint(routes, url_prefix=settings.base_path or None)
    if settings.serve_docs:
        serve_reference(app, api, settings.base_path)
