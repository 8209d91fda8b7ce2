"""The routes of the delivery API: `/graphql` with its explorer, and the feeds of a site at `/delivery`."""

from functools import partial

from flask import Blueprint, Flask
from graphql import GraphQLError
from werkzeug.exceptions import HTTPException

from app.core.errors import Refusal
from app.core.features import Features
from app.http.cors import DELIVERY_HEADERS, allow_origins
from app.http.errors import bug, refusal_of
from app.settings import Settings
from graphql_app.errors import refused
from graphql_app.feeds import Feeds
from graphql_app.view import DeliveryView, respond_to_error


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
    graphql = DeliveryView.as_view("graphql", settings, features)
    routes.add_url_rule("/graphql", view_func=graphql, methods=["GET", "POST"])
    routes.register_error_handler(GraphQLError, respond_to_error)
    routes.register_error_handler(Refusal, lambda refusal: respond_to_error(refused(refusal)))
    routes.register_error_handler(HTTPException, lambda error: respond_to_error(refused(refusal_of(error))))
    routes.register_error_handler(Exception, lambda error: respond_to_error(refused(bug(error))))
    return routes


def _feeds(settings: Settings) -> Blueprint:
    feeds = Feeds(settings)
    routes = Blueprint("feeds", __name__)
    routes.add_url_rule("/delivery/feed.xml", "atom", feeds.atom)
    routes.add_url_rule("/delivery/sitemap.xml", "sitemap", feeds.sitemap)
    return routes
