"""Calling operations for the signed-in user, and whether their scopes allow it."""

import hashlib
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import orjson
from flask import request

from app.console.frame import console
from app.console.sessions import context
from app.core.errors import IdempotencyConflict
from app.core.operation import Operation, Result, Shown
from app.core.schemas.loading import load
from app.core.store.request_time import standing_still

Row = TypeVar("Row")

TRIES_OF_A_FORM = 50
"""How often a form that was sent twice checks whether the first request is done; each pause is 0.1 s."""


def call(
    operation: Operation[Shown],
    *ids: str,
    fields: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    once: bool = False,
    match: str | None = None,
) -> Result[Shown]:
    """Runs an operation for the signed-in user; `fields` are those of its body or query, as JSON would have them.

    A dry run changes nothing. With `once`, a form that is sent again as it was, as by a double click, changes nothing
    more and gets the first result. `match` is the ETag that the record must have. Raises the operation's refusals.
    """
    schema = operation.body or operation.query
    ctx = replace(context(), dry_run=dry_run, if_match=(match,) if match else None)
    operation.permit(ctx)
    loaded = load(ctx.features.schema_of(schema), fields or {}) if schema else None
    key = _idempotency_key(operation, ids, fields) if once else None
    for _ in range(TRIES_OF_A_FORM):
        try:
            return operation(ctx, *ids, fields=loaded, key=key)
        except IdempotencyConflict:
            with standing_still():  # the first request is being processed; the browser shows the response to the second
                time.sleep(0.1)
    return operation(ctx, *ids, fields=loaded, key=key)


@dataclass(frozen=True)
class Listing(Generic[Row]):
    """A part of a list that is longer than a page shows."""

    rows: Sequence[Row]
    offset: int
    limit: int


def listing(operation: Operation[Sequence[Row]], *ids: str, limit: int, **filters: Any) -> Listing[Row]:
    """Returns the part of a list that the address of the page names by its `offset`."""
    offset = max(0, request.args.get("offset", 0, type=int))
    return Listing(call(operation, *ids, fields={**filters, "limit": limit, "offset": offset}).body, offset, limit)


def _idempotency_key(operation: Operation[Any], ids: Sequence[str], fields: Mapping[str, Any] | None) -> str | None:
    """Returns the key of a call: that of the form's page, with what is called, since a form may call several
    operations, and may be changed and sent once more from the same page."""
    page_key = request.form.get("_key")
    called = orjson.dumps([page_key, operation.name, ids, fields], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(called).hexdigest() if page_key else None


@console.app_template_global("new_key")
def new_key() -> str:
    """Returns an idempotency key for a form: an operation that is called with `once` is done once."""
    return secrets.token_urlsafe(16)


def may(operation: Operation[Any]) -> bool:
    """Returns whether the signed-in user's scopes allow an operation; pages offer only what they allow."""
    return operation.scope in context().caller.scopes


def require(operation: Operation[Any]) -> None:
    """Refuses with `Forbidden` the page of an operation that the signed-in user's scopes don't allow."""
    if not may(operation):
        raise operation.forbidden()
