"""Liveness and readiness; neither needs a token (contract: Health; decisions, section 1)."""

from threading import Lock
from typing import Annotated

import orjson
from cachetools import TTLCache, cached
from flask import Response
from flask_smorest import Blueprint
from typing_extensions import TypedDict

from app.documented import doc
from app.errors import HttpApiDecodeError, InternalError, PayloadTooLarge, ServiceUnavailable
from app.http.callers import callers
from app.responses.json_schema import REF
from app.rest.route import error_responses
from app.store.store import Store

PREPARED_SECONDS = 10
"""How long a database counts as prepared once it was: its indexes are not listed at each probe."""

ALIVE = error_responses([HttpApiDecodeError, PayloadTooLarge, InternalError])
READY = error_responses([HttpApiDecodeError, PayloadTooLarge, InternalError, ServiceUnavailable])
ERRORS = (*ALIVE, *READY)


class Health(TypedDict):
    """A sign of life."""

    status: Annotated[str, doc("`ok` or `ready`", "ok")]


routes = Blueprint("health", __name__, description="Liveness and readiness.")


@routes.route("/health", endpoint="getHealth")
@routes.response(200, {"$ref": REF + Health.__name__}, description="The service responds.", example={"status": "ok"})
@routes.doc(operationId="getHealth", security=[], responses={one.status: one.name for one in ALIVE})
def health() -> Response:
    """Check that the service responds

    The process responds. Nothing else is checked, not even the database; no token is needed.
    """
    return _status("ok")


@routes.route("/ready", endpoint="getReadiness")
@routes.response(200, {"$ref": REF + Health.__name__}, description="The service is ready.", example={"status": "ready"})
@routes.doc(operationId="getReadiness", security=[], responses={one.status: one.name for one in READY})
def ready() -> Response:
    """Check that the service is ready

    The process responds, and so does its database; 503 when that can't be reached or written to, or lacks a unique
    index or a validator, which `content-workflow db init` creates. No token is needed.
    """
    store = callers().store
    store.ping()
    _check_prepared(store)
    return _status("ready")


@cached(TTLCache(maxsize=1, ttl=PREPARED_SECONDS), lock=Lock())
def _check_prepared(store: Store) -> None:
    store.check_writes()
    store.check_prepared()


def _status(word: str) -> Response:
    return Response(orjson.dumps({"status": word}), content_type="application/json")
