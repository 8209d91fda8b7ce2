"""The routes of the delivery API: `/graphql` with its explorer, and the feeds of a site at `/delivery`."""

from flask import Blueprint, Flask
from graphql import GraphQLError
from werkzeug.exceptions import HTTPException

from app.errors import Refusal
from app.http.errors import bug, refusal_of
from app.operations.delivery import DeliveryReader
from app.settings import Settings
from graphql_app import explorer, view
from graphql_app.cors import Origins
from graphql_app.errors import RequestError
from graphql_app.feeds import Feeds


def install(app: Flask, settings: Settings) -> None:
    """Serves the delivery API."""
    reader = DeliveryReader()
    origins = Origins(settings.delivery_allowed_origins)
    app.register_blueprint(_graphql(settings, reader, origins))
    app.register_blueprint(_feeds(settings, reader, origins))


def _graphql(settings: Settings, reader: DeliveryReader, origins: Origins) -> Blueprint:
    routes = Blueprint("delivery", __name__)
    graphql = view.DeliveryView.as_view("graphql", settings, reader)
    routes.add_url_rule("/graphql", view_func=graphql, methods=["GET", "POST"])
    names = ",".join(f'"{name}"' for name in explorer.FILES)
    routes.add_url_rule(f"/graphql/explorer/<any({names}):name>", "explorer_file", explorer.explorer_file)
    routes.register_error_handler(GraphQLError, view.respond_to_query_error)
    routes.register_error_handler(RequestError, view.respond_to_request_error)
    routes.register_error_handler(Refusal, view.respond_to_refusal)
    routes.register_error_handler(HTTPException, lambda error: view.respond_to_refusal(refusal_of(error)))
    routes.register_error_handler(Exception, lambda error: view.respond_to_refusal(bug(error)))
    routes.after_request(origins.allow)
    return routes


def _feeds(settings: Settings, reader: DeliveryReader, origins: Origins) -> Blueprint:
    feeds = Feeds(settings, reader.caches)
    routes = Blueprint("feeds", __name__)
    routes.add_url_rule("/delivery/feed.xml", "atom", feeds.atom)
    routes.add_url_rule("/delivery/sitemap.xml", "sitemap", feeds.sitemap)
    routes.after_request(origins.allow)
    return routes
