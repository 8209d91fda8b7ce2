"""Metrics in Prometheus' text format (decisions, section 1): off unless SERVE_METRICS, with METRICS_TOKEN where set.

A label names a route's template, a method, a status, an outcome: never an id, a title or a token. The processes of
`serve` count in files that they share (PROMETHEUS_MULTIPROC_DIR), so that a scrape of any of them has the sums.
"""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Response, g, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

from app.core.errors import Unauthorized
from app.http.callers import callers
from app.http.errors import response_to
from app.settings import VERSION, Settings

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
REMEDY = "Send the server's METRICS_TOKEN in the header `Authorization: Bearer <token>`."
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS = Counter("content_workflow_requests", "Requests answered.", ["method", "route", "status"])
BUILD = Gauge(
    "content_workflow_build_info", "The release that runs, as `version`.", ["version"], multiprocess_mode="mostrecent"
)
BUILD.labels(VERSION).set(1)
SECONDS = Histogram("content_workflow_request_seconds", "How long answers took.", ["method", "route"], buckets=BUCKETS)


def install(app: Flask, settings: Settings) -> None:
    """Counts every request, and serves the metrics at /metrics."""
    app.before_request(_begin)
    app.after_request(_count)

    def metrics() -> Response:
        token = settings.metrics_token
        if token and not _is_right(request.headers.get("Authorization", ""), token):
            with callers().counting_failures():
                raise Unauthorized(REMEDY)
        return Response(generate_latest(_registry()), content_type=CONTENT_TYPE_LATEST)

    app.add_url_rule("/metrics", "metrics", metrics)


def _begin() -> None:
    g.counted_from = time.perf_counter()


def _count(response: Response) -> Response:
    route = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in METHODS else "other"
    REQUESTS.labels(method, route, response.status_code).inc()
    if "counted_from" in g:
        SECONDS.labels(method, route).observe(time.perf_counter() - g.counted_from)
    return response


def with_token(app: WSGIApplication, token: str) -> WSGIApplication:
    """Returns a WSGI application that serves metrics and requires METRICS_TOKEN, for a worker without a server."""

    def checked(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if _is_right(environ.get("HTTP_AUTHORIZATION", ""), token):
            return app(environ, start_response)
        return response_to(Unauthorized(REMEDY))(environ, start_response)

    return checked


def _is_right(authorization: str, token: str) -> bool:
    return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())


def _registry() -> CollectorRegistry:
    if SHARED_FOLDER not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry
