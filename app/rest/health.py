"""Liveness and readiness; neither needs a token (contract: Health; decisions, section 1)."""

import orjson
from flask import Blueprint, Response

from app.http.callers import callers

blueprint = Blueprint("health", __name__)


@blueprint.get("/health")
def health() -> Response:
    """Tells that the process answers; touches no database."""
    return _status("ok")


@blueprint.get("/ready")
def ready() -> Response:
    """Tells that MongoDB answers too; 503 `ServiceUnavailable` when it does not."""
    callers().store.ping()
    return _status("ready")


def _status(word: str) -> Response:
    return Response(orjson.dumps({"status": word}), content_type="application/json")
