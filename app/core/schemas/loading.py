"""The two stages in which a request is checked; `types.py` says which checks belong to which."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import marshmallow as ma

from app.core.errors import BadRequest, HttpApiDecodeError, Issue, Problem
from app.core.schemas.fields import Confirming

Fields = Mapping[str, Any]
"""Fields of a body, a query or an imported record, loaded: those of its schema, by name."""


def load(schema: type[ma.Schema], data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of `data` that the schema names, as they were sent, with defaults for those that have one.

    Raises `HttpApiDecodeError` with every wrong type, length and range and every missing key.
    """
    try:
        loaded: dict[str, Any] = cached_schema(schema).load(data)
        return loaded
    except ma.ValidationError as error:
        raise decode_error(error.messages) from None


def problems(schema: type[ma.Schema], data: Mapping[str, Any]) -> list[Problem]:
    """Returns every rule of the schema that `data`, which was loaded, breaks, sorted by field."""
    with Confirming(True):
        errors = cached_schema(schema).validate(data)
    return in_order(Problem(field=path, message=message) for path, message in _flat(errors))


def check(schema: type[ma.Schema], data: Mapping[str, Any], *more: Problem) -> None:
    """Refuses with `BadRequest` where `problems` finds any or there are `more`; the error lists all of them."""
    if wrong := in_order([*problems(schema, data), *more]):
        raise BadRequest(errors=wrong)


def in_order(found: Iterable[Problem]) -> list[Problem]:
    """Returns problems as the contract lists them: by field as text."""
    return sorted(found, key=lambda problem: (problem["field"], problem["message"]))


def changed_fields(record: Mapping[str, Any], fields: Fields, clearable: Collection[str] = ()) -> dict[str, Any]:
    """Returns the fields of a request that differ from what a record has, as they are stored.

    Ids are stored in lower case, and an empty value of a `clearable` field as null.
    """
    changes: dict[str, Any] = {}
    for name, value in fields.items():
        before = record.get(name)
        if name in clearable:
            value, before = value or None, before or None
        elif name.endswith("Id") and value:
            value = value.lower()
        if value != before:
            changes[name] = value
    return changes


def decode_error(messages: Any) -> HttpApiDecodeError:
    """Returns the contract's error for marshmallow's messages."""
    return HttpApiDecodeError(issues=[Issue(path=path, message=message) for path, message in _flat(messages)])


@cache
def cached_schema(schema: type[ma.Schema]) -> ma.Schema:
    """Returns the one instance of a schema; making one takes longer than loading with it."""
    return schema()


def _flat(errors: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yields (path, message) for each leaf of marshmallow's nested errors, as in `brief.referenceUrls[3]`."""
    if not isinstance(errors, dict):
        yield from ((path, str(message)) for message in errors)
        return
    for key, inner in errors.items():
        name = f"[{key}]" if isinstance(key, int) else f".{key}" if path else str(key)
        yield from _flat(inner, path + name)
