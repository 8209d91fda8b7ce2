"""Liveness and readiness; neither needs a token (contract: Health; decisions, section 1)."""

import orjson
from flask import Response
from flask_smorest import Blueprint

from app.errors import HttpApiDecodeError, InternalError, PayloadTooLarge, ServiceUnavailable
from app.http.callers import callers
from app.records.types import Record, string
from app.rest.openapi import TAGS, error_responses


class HealthRecord(Record):
    """A sign of life."""

    status = string("`ok` or `ready`", example="ok")


routes = Blueprint("health", __name__, description=TAGS["health"])


@routes.route("/health", endpoint="getHealth")
@routes.response(200, HealthRecord, description="The service responds.", example={"status": "ok"})
@routes.doc(
    operationId="getHealth",
    security=[],
    responses=error_responses([HttpApiDecodeError, PayloadTooLarge, InternalError]),
)
def health() -> Response:
    """Check that the service responds

    The process responds. Nothing else is checked, not even the database; no token is needed.
    """
    return _status("ok")


@routes.route("/ready", endpoint="getReadiness")
@routes.response(200, HealthRecord, description="The service is ready.", example={"status": "ready"})
@routes.doc(
    operationId="getReadiness",
    security=[],
    responses=error_responses([HttpApiDecodeError, PayloadTooLarge, InternalError, ServiceUnavailable]),
)
def ready() -> Response:
    """Check that the service is ready

    The process responds, and so does its database; 503 when that can't be reached. No token is needed.
    """
    callers().store.ping()
    return _status("ready")


def _status(word: str) -> Response:
    return Response(orjson.dumps({"status": word}), content_type="application/json")
