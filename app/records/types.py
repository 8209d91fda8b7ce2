"""The fields that records are documented with; every key of a record is always there.

Each takes `null` (whether it may be null), `required`, `data_key`, and the `example` that OpenAPI shows; all other
options are keys of its JSON Schema.
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
    """The documentation of a record. Presenters build the dicts: dumping a page of 50 documents takes 2 ms more."""

    class Meta:
        unknown = ma.EXCLUDE  # documented as open: the API grows by addition


def record_id(doc: str, **options: Any) -> fields.String:
    """Documents an id."""
    return fields.String(**_options(doc, EXAMPLE_ID, pattern=HEX_ID, examples=[EXAMPLE_ID], **options))


def string(doc: str, *, one_of: Iterable[str] = (), **options: Any) -> fields.String:
    """Documents a string, of a closed list where `one_of` names it."""
    usual = next((str(word) for word in one_of if word), "")
    return fields.String(validate=_closed(one_of), **_options(doc, usual, **options))


def timestamp(doc: str, **options: Any) -> fields.String:
    """Documents a timestamp."""
    return fields.String(**_options(doc, EXAMPLE_TIME, format="date-time", examples=[EXAMPLE_TIME], **options))


def date(doc: str, *, null: bool = True, **options: Any) -> fields.String:
    """Documents a calendar date."""
    shown: dict[str, Any] = {"example": EXAMPLE_DAY, "examples": [EXAMPLE_DAY]}
    return fields.String(**_options(doc, None, null=null, format="date", **shown, **options))


def integer(doc: str, **options: Any) -> fields.Integer:
    """Documents an integer."""
    return fields.Integer(**_options(doc, 1, **options))


def boolean(doc: str, **options: Any) -> fields.Boolean:
    """Documents a boolean."""
    return fields.Boolean(**_options(doc, False, **options))


def strings(doc: str, *, one_of: Iterable[str] = (), **options: Any) -> fields.List[Any]:
    """Documents a list of strings."""
    return fields.List(fields.String(validate=_closed(one_of)), **_options(doc, [], **options))


def strings_by_name(doc: str, *, one_of: Iterable[str], **options: Any) -> fields.Dict:
    """Documents an object whose keys are names and whose values are words of a closed list."""
    return fields.Dict(fields.String(), fields.String(validate=_closed(one_of)), **_options(doc, {}, **options))


def nested(schema: type[ma.Schema], doc: str, **options: Any) -> fields.Nested:
    """Documents an object."""
    return fields.Nested(schema, **_options(doc, None, **options))


def nested_list(schema: type[ma.Schema], doc: str, **options: Any) -> fields.List[Any]:
    """Documents a list of objects."""
    return fields.List(fields.Nested(schema), **_options(doc, None, **options))


def _closed(words: Iterable[str]) -> list[validate.OneOf]:
    return [validate.OneOf(closed)] if (closed := [str(word) for word in words]) else []


def _options(
    doc: str,
    usual: Any,
    *,
    null: bool = False,
    required: bool = True,
    example: Any = ma.missing,
    data_key: str | None = None,
    **metadata: Any,
) -> dict[str, Any]:
    """Returns the options of a field; what is always there and never null has the usual example where none is named."""
    if example is ma.missing and required and not null and usual is not None:
        example = usual
    shown = {} if example is ma.missing else {EXAMPLE: example}
    described = {"description": doc, **shown, **metadata}
    return {"required": required, "allow_none": null, "data_key": data_key, "metadata": described}
