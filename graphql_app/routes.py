"""The routes of the delivery API: `/graphql` with its explorer, and the feeds of a site at `/delivery`."""

from functools import partial

from flask import Blueprint, Flask
from graphql import GraphQLError
from werkzeug.exceptions import HTTPException

from app.errors import Refusal, ResponseTooLarge
from app.http.cors import allow_origins
from app.http.errors import bug, refusal_of
from app.settings import Settings
from graphql_app import explorer, view
from graphql_app.errors import RequestError, too_large
from graphql_app.feeds import Feeds

EXPOSED = "ETag, Ignored-Fields, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
"""The headers that pages of other origins can read."""


def install(app: Flask, settings: Settings) -> None:
    """Serves the delivery API."""
    for routes in (_graphql(settings), _feeds(settings)):
        routes.after_request(partial(allow_origins, allowed=settings.delivery_allowed_origins, exposed=EXPOSED))
        app.register_blueprint(routes)


def _graphql(settings: Settings) -> Blueprint:
    routes = Blueprint("delivery", __name__, template_folder="templates")
    graphql = view.DeliveryView.as_view("graphql", settings)
    routes.add_url_rule("/graphql", view_func=graphql, methods=["GET", "POST"])
    routes.add_url_rule("/graphql/explorer/<name>", "explorer_file", explorer.explorer_file)
    for kind in (GraphQLError, RequestError, Refusal):
        routes.register_error_handler(kind, view.respond_to_error)
    routes.register_error_handler(ResponseTooLarge, lambda error: view.respond_to_error(too_large(error)))
    routes.register_error_handler(HTTPException, lambda error: view.respond_to_error(refusal_of(error)))
    routes.register_error_handler(Exception, lambda error: view.respond_to_error(bug(error)))
    return routes


def _feeds(settings: Settings) -> Blueprint:
    feeds = Feeds(settings)
    routes = Blueprint("feeds", __name__)
    routes.add_url_rule("/delivery/feed.xml", "atom", feeds.atom)
    routes.add_url_rule("/delivery/sitemap.xml", "sitemap", feeds.sitemap)
    return routes
