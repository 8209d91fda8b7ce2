"""Creates the Flask application from the store, the interfaces and what they share on HTTP."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from flask import Flask, request
from flask.typing import ResponseReturnValue

from app.console import routes as console
from app.core.features import Features
from app.core.store.store import Store
from app.features import ALL, connect
from app.http import bodies, errors, requests, tracing
from app.http.callers import Callers
from app.http.logs import log_as_json
from app.http.proxies import TrustedProxies
from app.rest import api, health
from app.settings import Settings
from mcp_tools import routes as mcp


class Service(Flask):
    """The WSGI application."""

    def dispatch_request(self) -> ResponseReturnValue:
        """Calls the view of a request under the request's deadline."""
        with self.extensions["callers"].store.deadline():
            return super().dispatch_request()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the view: none is a coroutine, so Flask need not check that for each request."""
        return func


def _check_form(store: Store) -> None:
    """Refuses a request with `FormDiffers` where the database has the form of another release, but for liveness."""
    if not (request.endpoint or "").endswith(health.LIVENESS):
        with store.deadline():
            store.check_form()


def create_app(settings: Settings, store: Store | None = None, features: Features = ALL) -> Flask:
    """Returns the WSGI application with the interfaces that the settings enable.

    `store` is for tests; by default the one that the settings name is connected at the first request. `features` are
    the lists of `app/features.py`, `ALL.without("review")` for an application without reviews.
    """
    log_as_json(settings.log_level)
    app = Service("content_workflow", static_folder=None)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # no redirects: a path either exists or does not
    tracing.trace(settings, app)
    store = store or connect(
        settings.mongodb_uri, settings.database, settings.deadline_seconds, settings.delivery_read_preference
    )
    if store.features is not features:
        store = replace(store, features=features)
    requests.install(app)
    app.before_request(partial(_check_form, store))
    Callers(app, store, settings)
    bodies.install(app)
    errors.install(app)
    for install in features.routes():
        install(app, settings)
    if settings.serve_metrics:
        from app.http import metrics  # takes a megabyte, and most don't serve them

        metrics.install(app, settings)
    if settings.serve_rest:
        api.install(app, settings, features)
    if settings.serve_mcp:
        mcp.install(app, settings)
    if settings.serve_graphql:
        from graphql_app import routes as delivery

        delivery.install(app, settings, features)
    if settings.serve_console:
        console.install(app, settings, features)
    if settings.serve_docs:
        mcp.install_llms(app, settings, features)
    if settings.base_path or not settings.serve_rest:
        app.register_blueprint(health.routes, name="health_at_the_root")
    served = requests.Requests(app.wsgi_app, settings)
    behind_proxies = TrustedProxies(served, settings.trusted_proxies) if settings.trusted_proxies else served
    app.wsgi_app = behind_proxies  # type: ignore[method-assign]
    return app
