"""Traces by OpenTelemetry: on where the extra `otel` is installed and OTEL_EXPORTER_OTLP_ENDPOINT says where to.

Each request and each command to MongoDB is a span; what was sent to MongoDB is not in it. All else, like the service's
name and sampling, is set by the variables that OpenTelemetry defines.
"""

import logging
from importlib.util import find_spec

from flask import Flask

from app.settings import Settings

log = logging.getLogger("content_workflow.tracing")

NOT_TRACED = "health,ready,metrics"


def is_wanted(settings: Settings) -> bool:
    """Tells whether traces are wanted and can be made; says so in the log when they are wanted in vain."""
    if not settings.otel_endpoint:
        return False
    if find_spec("opentelemetry.instrumentation") is None:
        log.warning("not traced", extra={"remedy": "install the extra: pip install '.[otel]' in the checkout"})
        return False
    return True


def trace_database(settings: Settings) -> None:
    """Has what this process asks of MongoDB traced; called before it connects."""
    if is_wanted(settings):
        from opentelemetry.instrumentation.pymongo import PymongoInstrumentor

        _begin()
        PymongoInstrumentor().instrument()


def trace_requests(app: Flask, settings: Settings) -> None:
    """Has the requests to an application traced."""
    if is_wanted(settings):
        from opentelemetry.instrumentation.flask import FlaskInstrumentor

        FlaskInstrumentor().instrument_app(app, excluded_urls=NOT_TRACED)  # type: ignore[no-untyped-call]


def _begin() -> None:
    """Sends what is traced in this process to the endpoint, once."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    named = Resource.create({"service.name": "content-workflow"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
