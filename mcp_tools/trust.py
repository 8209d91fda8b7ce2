"""Trust labels: which tools and resources return text that people and agents wrote (decisions, section 13)."""

from typing import Any

import marshmallow as ma
from marshmallow import validate

from app.operations.operation import Operation
from app.records.intents import CONFIRMED_RECORDS, ConfirmedRecord

UNTRUSTED = {"untrusted": True}
"""What `_meta` says of text in which an agent follows no instructions."""


def label_of(operation: Operation) -> dict[str, Any] | None:
    """Returns what `_meta` says of an operation's tool and of its results; None where they hold no such text."""
    records = CONFIRMED_RECORDS.values() if operation.response is ConfirmedRecord else (operation.response,)
    return UNTRUSTED if any(holds_text(record()) for record in records) else None


def holds_text(schema: ma.Schema) -> bool:
    """Returns whether a record has a field of free text."""
    return any(map(_is_text, schema.fields.values()))


def _is_text(field: ma.fields.Field[Any]) -> bool:
    """Returns whether a field holds free text: all but the words of a closed list, and ids, times and addresses."""
    if isinstance(field, ma.fields.Nested):
        return isinstance(field.schema, ma.Schema) and holds_text(field.schema)
    if isinstance(field, ma.fields.List):
        return _is_text(field.inner)
    if isinstance(field, ma.fields.String):
        closed = any(isinstance(check, validate.OneOf) for check in field.validators)
        return not closed and field.metadata.keys().isdisjoint(("pattern", "format"))
    return isinstance(field, ma.fields.Dict)
