"""The routes of the delivery API: `/graphql` with its explorer, and the feeds of a site at `/delivery`.

GraphQL takes a third of a second to import, and 12 MB: a process does so for its first query, as many have none.
"""

from __future__ import annotations

from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING

from flask import Blueprint, Flask, Response
from werkzeug.exceptions import HTTPException

from app.core.errors import Refusal
from app.core.features import Features
from app.http.cors import DELIVERY_HEADERS, allow_origins
from app.http.errors import refusal_of, unexpected
from app.settings import Settings
from graphql_app.feeds import Feeds

if TYPE_CHECKING:
    from graphql_app.view import DeliveryView


def install(app: Flask, settings: Settings, features: Features) -> None:
    """Serves the delivery API."""
    for routes in (_graphql(settings, features), _feeds(settings)):
        routes.after_request(
            partial(allow_origins, allowed=settings.delivery_allowed_origins, exposed=DELIVERY_HEADERS)
        )
        app.register_blueprint(routes)


def _graphql(settings: Settings, features: Features) -> Blueprint:
    routes = Blueprint(
        "delivery",
        __name__,
        template_folder="templates",
        static_folder="explorer_files/served",
        static_url_path="/graphql/explorer",
    )
    lock = Lock()

    @cache
    def view() -> DeliveryView:
        from graphql_app.view import DeliveryView

        return DeliveryView(settings, features)

    def graphql() -> Response:
        with lock:  # one view, with one cache
            made = view()
        return made.dispatch_request()

    routes.add_url_rule("/graphql", view_func=graphql, methods=["GET", "POST"])
    routes.register_error_handler(Exception, _respond_to_error)
    return routes


def _respond_to_error(error: Exception) -> Response:
    from graphql import GraphQLError

    from graphql_app.errors import refused
    from graphql_app.view import respond_to_error

    if isinstance(error, GraphQLError):
        return respond_to_error(error)
    if isinstance(error, HTTPException):
        return respond_to_error(refused(refusal_of(error)))
    return respond_to_error(refused(error if isinstance(error, Refusal) else unexpected(error)))


def _feeds(settings: Settings) -> Blueprint:
    feeds = Feeds(settings)
    routes = Blueprint("feeds", __name__)
    routes.add_url_rule("/delivery/feed.xml", "atom", feeds.atom)
    routes.add_url_rule("/delivery/sitemap.xml", "sitemap", feeds.sitemap)
    return routes
