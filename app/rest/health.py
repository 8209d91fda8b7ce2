"""Liveness and readiness; neither needs a token (contract: Health; decisions, section 1)."""

from threading import Lock

from cachetools import TTLCache, cached
from flask import Response
from flask_smorest import Blueprint

from app.core.schemas.fields import Schema, StrictString
from app.core.store.store import Misconfigured, Store
from app.core.worker import check_clock
from app.http.callers import callers
from app.http.errors import refused

PREPARED_SECONDS = 10
"""How long a database counts as prepared once it was: its indexes are not listed at each probe."""

ERRORS = {400: "HttpApiDecodeError", 413: "PayloadTooLarge", 500: "InternalError"}
"""The errors of both, by status, as the document names them."""


class Health(Schema):
    """A sign of life."""

    status = StrictString(None, description="`ok` or `ready`", example="ok", required=True)
    warning = StrictString(None, description="A problem that an operator should fix, as a wrong clock")


LIVENESS = "getHealth"
"""The endpoint that answers whatever the database is like."""

routes = Blueprint("health", __name__, description="Liveness and readiness.")


@routes.route("/health", endpoint=LIVENESS)
@routes.response(200, Health, description="The service responds.", example={"status": "ok"})
@routes.doc(operationId="getHealth", security=[], responses=ERRORS)
def health() -> dict[str, str]:
    """Check that the service responds

    The process responds. Nothing else is checked, not even the database; no token is needed.
    """
    return {"status": "ok"}


@routes.route("/ready", endpoint="getReadiness")
@routes.response(200, Health, description="The service is ready.", example={"status": "ready"})
@routes.doc(operationId="getReadiness", security=[], responses={**ERRORS, 503: "ServiceUnavailable"})
def ready() -> dict[str, str]:
    """Check that the service is ready

    The process responds, and so does its database; 503 when that can't be reached or written to, or lacks a unique
    index or a validator, which `content-workflow db init` creates, or has the form of another release. `warning` says
    that this server's clock differs from MongoDB's by more than 2 s. No token is needed.
    """
    store = callers().store
    store.ping()
    _check_prepared(store)
    check_clock(store)
    return {"status": "ready"} | ({"warning": store.clock.warning} if store.clock.warning else {})


@routes.errorhandler(Misconfigured)
def unusable(error: Misconfigured) -> Response:
    """Returns what an operator has to change, which other responses leave out."""
    error.message = error.for_the_log
    return refused(error)


@cached(TTLCache(maxsize=1, ttl=PREPARED_SECONDS), lock=Lock())
def _check_prepared(store: Store) -> None:
    store.check_writes()
    store.check_prepared()
