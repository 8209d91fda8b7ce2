"""Traces by OpenTelemetry: on where the extra `otel` is installed and OTEL_EXPORTER_OTLP_ENDPOINT names the collector.

Each request and each command to MongoDB is a span, without the values sent to MongoDB. The service's name, sampling
and the like are set by the variables that OpenTelemetry defines.
"""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from flask import request

from app.http.requests import logged_path
from app.settings import Settings

if TYPE_CHECKING:
    from flask import Flask
    from opentelemetry.trace import Span

log = logging.getLogger("content_workflow.tracing")

NOT_TRACED = "health,ready,metrics"
WITH_PATH = {"http.target", "http.url", "url.path", "url.query", "url.full"}
"""The attributes of a span that have a request's path or query, in OpenTelemetry's older and newer conventions."""


def is_wanted(settings: Settings) -> bool:
    """Returns whether traces are configured and can be made; logs a warning where the extra is not installed."""
    if not settings.otel_endpoint:
        return False
    if find_spec("opentelemetry.instrumentation") is None:
        log.warning("not traced", extra={"remedy": "install the extra `otel`: docs/operations.md says how"})
        return False
    return True


def trace(settings: Settings, app: Flask | None = None) -> None:
    """Traces the commands that this process sends to MongoDB, and the requests to an app.

    It is called before the process connects; a process whose app gets an open connection calls it twice.
    """
    if not is_wanted(settings):
        return
    from opentelemetry.instrumentation.flask import FlaskInstrumentor
    from opentelemetry.instrumentation.pymongo import PymongoInstrumentor

    _begin()
    if not PymongoInstrumentor().is_instrumented_by_opentelemetry:
        PymongoInstrumentor().instrument()
    if app is not None:
        instrument = FlaskInstrumentor().instrument_app
        instrument(app, response_hook=_hide_path, excluded_urls=NOT_TRACED)  # type: ignore[no-untyped-call]


def _hide_path(span: Span, _status: str, _headers: object) -> None:
    """Puts the route of the request in the place of its path and query, which may hold a secret."""
    path = logged_path(request.environ)
    if span.is_recording():
        span.set_attributes(dict.fromkeys(WITH_PATH & {*(span.attributes or ())}, path))  # type: ignore[attr-defined]
    if request.url_rule is None:
        span.update_name(f"{request.method} {path}")


def _begin() -> None:
    """Begins to export the traces of this process to the endpoint; a second call does nothing."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import get_tracer_provider, set_tracer_provider

    if isinstance(get_tracer_provider(), TracerProvider):
        return
    named = Resource.create({"service.name": "content-workflow"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(provider)
