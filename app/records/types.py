"""The fields that records are documented with; every key of a record is always there.

A field's `example` is what OpenAPI shows; without one it follows from the field.
"""

from collections.abc import Iterable
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app.fields.types import EXAMPLE

HEX_ID = "^[0-9a-f]{24}$"
EXAMPLE_ID = "6650f0a1b2c3d4e5f6a7b8c9"
EXAMPLE_TIME = "2027-01-31T09:00:00.000Z"
EXAMPLE_DAY = "2027-02-14"


class Record(ma.Schema):
    """The documentation of a record; nothing is loaded or dumped with it."""

    class Meta:
        unknown = ma.EXCLUDE  # documented as open: the API grows by addition


def record_id(doc: str, *, null: bool = False, example: str | None = None) -> fields.String:
    """Documents an id."""
    shown = example if null else EXAMPLE_ID
    return fields.String(**_options(doc, null, shown, pattern=HEX_ID, examples=[EXAMPLE_ID]))


def string(
    doc: str,
    *,
    null: bool = False,
    required: bool = True,
    one_of: Iterable[str] = (),
    example: str | None = None,
    **metadata: Any,
) -> fields.String:
    """Documents a string, of a closed list where `one_of` names it."""
    closed = [str(word) for word in one_of]
    shown = example if example is not None or null else next(filter(None, closed), "")
    options = _options(doc, null, shown, required=required, **metadata)
    return fields.String(validate=[validate.OneOf(closed)] if closed else [], **options)


def timestamp(doc: str, *, null: bool = False, example: str | None = None) -> fields.String:
    """Documents a timestamp."""
    shown = example if null else EXAMPLE_TIME
    return fields.String(**_options(doc, null, shown, format="date-time", examples=[EXAMPLE_TIME]))


def date(doc: str, *, null: bool = True, **options: Any) -> fields.String:
    """Documents a calendar date."""
    return fields.String(**_options(doc, null, EXAMPLE_DAY, format="date", examples=[EXAMPLE_DAY]), **options)


def integer(
    doc: str, *, null: bool = False, required: bool = True, example: int | None = None, **options: Any
) -> fields.Integer:
    """Documents an integer."""
    shown = 1 if example is None and required and not null else example
    return fields.Integer(**_options(doc, null, shown, required=required), **options)


def boolean(doc: str, *, example: bool = False) -> fields.Boolean:
    """Documents a boolean."""
    return fields.Boolean(**_options(doc, False, example))


def strings(
    doc: str, *, one_of: Iterable[str] = (), required: bool = True, example: Iterable[str] = ()
) -> fields.List[Any]:
    """Documents a list of strings."""
    closed = [str(word) for word in one_of]
    inner = fields.String(validate=[validate.OneOf(closed)] if closed else [])
    return fields.List(inner, **_options(doc, False, list(example) if required else None, required=required))


def strings_by_name(doc: str, *, one_of: Iterable[str]) -> fields.Dict:
    """Documents an object whose keys are names and whose values are words of a closed list."""
    value = fields.String(validate=validate.OneOf([str(word) for word in one_of]))
    return fields.Dict(fields.String(), value, **_options(doc, False, {}))


def nested(schema: type[ma.Schema], doc: str, *, null: bool = False) -> fields.Nested:
    """Documents an object."""
    return fields.Nested(schema, **_options(doc, null))


def nested_list(
    schema: type[ma.Schema], doc: str, *, required: bool = True, example: Any = None, **metadata: Any
) -> fields.List[Any]:
    """Documents a list of objects."""
    return fields.List(fields.Nested(schema), **_options(doc, False, example, required=required, **metadata))


def _options(doc: str, null: bool, example: Any = None, *, required: bool = True, **metadata: Any) -> dict[str, Any]:
    shown = {} if example is None else {EXAMPLE: example}
    return {"required": required, "allow_none": null, "metadata": {"description": doc, **shown, **metadata}}
