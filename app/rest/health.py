"""Liveness and readiness; neither needs a token (contract: Health; decisions, section 1)."""

from __future__ import annotations

from collections.abc import Callable

import orjson
from flask import Response
from flask_smorest import Blueprint

from app.errors import Refusal, ServiceUnavailable
from app.http.callers import callers
from app.records.health import HealthRecord
from app.rest.openapi import TAGS, document_errors
from app.rest.route import EVERYWHERE

View = Callable[[], Response]

routes = Blueprint("health", __name__, description=TAGS["health"])


def _served(path: str, name: str, summary: str, word: str, *errors: type[Refusal]) -> Callable[[View], View]:
    """Serves and documents a view that takes nothing and asks for no token."""

    def decorate(view: View) -> View:
        documented = routes.response(200, HealthRecord, description="A sign of life.", example={"status": word})(view)
        for document in document_errors(routes, sorted([*EVERYWHERE, *errors], key=lambda error: error.status)):
            documented = document(documented)
        documented = routes.doc(operationId=name, summary=summary, description=view.__doc__, security=[])(documented)
        routes.route(path, endpoint=name)(documented)
        return view

    return decorate


@_served("/health", "getHealth", "Ask whether the service answers", "ok")
def health() -> Response:
    """The process answers. Nothing else is asked, the database neither; no token is needed."""
    return _status("ok")


@_served("/ready", "getReadiness", "Ask whether the service can work", "ready", ServiceUnavailable)
def ready() -> Response:
    """The process answers, and so does its database; 503 when that can't be reached. No token is needed."""
    callers().store.ping()
    return _status("ready")


def _status(word: str) -> Response:
    return Response(orjson.dumps({"status": word}), content_type="application/json")
