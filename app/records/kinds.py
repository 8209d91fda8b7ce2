"""The kinds of field that records are documented with; every key of a record is always there."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

HEX_ID = "^[0-9a-f]{24}$"


class Record(ma.Schema):
    """The documentation of a record; nothing is loaded or dumped with it."""

    class Meta:
        unknown = ma.EXCLUDE  # documented as open: the API grows by addition


def _options(doc: str, null: bool, **metadata: Any) -> dict[str, Any]:
    return {"required": True, "allow_none": null, "metadata": {"description": doc, **metadata}}


def record_id(doc: str, *, null: bool = False) -> fields.String:
    """Documents an id."""
    return fields.String(**_options(doc, null, pattern=HEX_ID, examples=["6650f0a1b2c3d4e5f6a7b8c9"]))


def text(doc: str, *, null: bool = False, one_of: Iterable[str] | type[StrEnum] = (), **metadata: Any) -> fields.String:
    """Documents a string, of a closed list where `one_of` names it."""
    closed = [str(word) for word in one_of]
    return fields.String(validate=[validate.OneOf(closed)] if closed else [], **_options(doc, null, **metadata))


def time(doc: str, *, null: bool = False) -> fields.String:
    """Documents a timestamp."""
    return fields.String(**_options(doc, null, format="date-time", examples=["2027-01-31T09:00:00.000Z"]))


def day(doc: str, *, null: bool = True) -> fields.String:
    """Documents a calendar date."""
    return fields.String(**_options(doc, null, format="date", examples=["2027-01-31"]))


def whole(doc: str, *, null: bool = False) -> fields.Integer:
    """Documents an integer."""
    return fields.Integer(**_options(doc, null))


def flag(doc: str) -> fields.Boolean:
    """Documents a boolean."""
    return fields.Boolean(**_options(doc, False))


def texts(doc: str, *, one_of: Iterable[str] | type[StrEnum] = ()) -> fields.List[Any]:
    """Documents a list of strings."""
    closed = [str(word) for word in one_of]
    return fields.List(fields.String(validate=[validate.OneOf(closed)] if closed else []), **_options(doc, False))


def table(schema: type[ma.Schema], doc: str, *, null: bool = False) -> fields.Nested:
    """Documents an object."""
    return fields.Nested(schema, **_options(doc, null))


def tables(schema: type[ma.Schema], doc: str) -> fields.List[Any]:
    """Documents a list of objects."""
    return fields.List(fields.Nested(schema), **_options(doc, False))
