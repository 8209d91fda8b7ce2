"""What can be done with a document, as callers see it (decisions, section 11)."""

from typing import Any, TypedDict

from app.errors import Refusal
from app.records.errors import ErrorRecord
from app.records.types import Record, boolean, nested, string


class ActionRecord(Record):
    """An operation on a document, and why it would be refused now."""

    action = string("the operation, by the name of its tool", example="submit_document")
    method = string("the method of its route", example="POST")
    path = string("its route", example="/documents/6650f0a1b2c3d4e5f6a7b8c9/submit")
    allowed = boolean("whether a valid call would succeed now", example=True)
    refusal = nested(ErrorRecord, "the error that it would get; null where it is allowed", null=True, example=None)


class ShownAction(TypedDict):
    """An operation on a document as callers see it."""

    action: str
    method: str
    path: str
    allowed: bool
    refusal: dict[str, Any] | None
    """The body of the error; its keys depend on its `_tag`."""


def action_record(action: str, method: str, path: str, document_id: str, refusal: Refusal | None) -> ShownAction:
    """Returns an operation with its route, which names the document, and why it is refused now."""
    return {
        "action": action,
        "method": method,
        "path": path.replace(":id", document_id),
        "allowed": refusal is None,
        "refusal": None if refusal is None else refusal.body(),
    }
