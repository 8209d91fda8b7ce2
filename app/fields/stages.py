"""The two stages in which a table of fields is checked: shape at the door, meaning in the operation."""

from collections.abc import Iterator, Mapping
from copy import copy
from functools import cache
from typing import Any

import marshmallow as ma

from app.errors import HttpApiDecodeError, Issue, Problem
from app.fields.kinds import Fields, Items, Table


def load_shape(schema: type[Fields], data: Mapping[str, Any], where: str = "") -> dict[str, Any]:
    """Returns the fields of `data` that the table knows, as they were sent.

    Refuses with `HttpApiDecodeError`, naming every wrong type, length, range and missing key at once.
    """
    try:
        loaded: dict[str, Any] = _loose_instance(schema).load(data)
        return loaded
    except ma.ValidationError as error:
        issues = [Issue(path=where + path, message=message) for path, message in flat(error.messages)]
        raise HttpApiDecodeError(issues=sorted(issues, key=lambda issue: issue["path"])) from None


def problems(schema: type[Fields], data: Mapping[str, Any]) -> list[Problem]:
    """Returns every rule of the table that `data` breaks, sorted by field; `data` has the right shape."""
    errors = _strict_instance(schema).validate(data)
    return in_order(Problem(field=path, message=message) for path, message in flat(errors))


def in_order(found: Iterator[Problem] | list[Problem]) -> list[Problem]:
    """Returns problems as the contract lists them: by field as text."""
    return sorted(found, key=lambda problem: (problem["field"], problem["message"]))


def flat(errors: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yields (path, message) for each leaf of marshmallow's nested errors, as in `brief.referenceUrls[3]`."""
    if not isinstance(errors, dict):
        yield from ((path, str(message)) for message in errors)
        return
    for key, inner in errors.items():
        if isinstance(key, int):
            yield from flat(inner, f"{path}[{key}]")
        elif key == "_schema":
            yield from flat(inner, path)
        else:
            yield from flat(inner, f"{path}.{key}" if path else str(key))


@cache
def shape_of(schema: type[Fields]) -> type[Fields]:
    """Returns the loose twin of a table: types, lengths and ranges only, and needed fields optional."""
    return type(f"{schema.__name__}Shape", (Fields,), {n: _loose(f) for n, f in schema._declared_fields.items()})


@cache
def documented_shape(schema: type[Fields], strict: bool) -> type[Fields]:
    """Returns the loose twin for a door to load and to document.

    Where the operation checks the meaning (`strict`), closed lists are documented, though the door does not judge them.
    """
    if not strict:
        return shape_of(schema)
    fields = {name: _telling(field) for name, field in shape_of(schema)._declared_fields.items()}
    return type(schema.__name__, (Fields,), fields)


def _telling(field: ma.fields.Field[Any]) -> ma.fields.Field[Any]:
    closed = [check for check in getattr(field, "meaning", ()) if isinstance(check, ma.validate.OneOf)]
    if not closed:
        return field
    twin = copy(field)
    twin.metadata = {**field.metadata, "enum": [*closed[0].choices, *([None] if field.allow_none else [])]}
    return twin


@cache
def strict_of(schema: type[Fields]) -> type[Fields]:
    """Returns the strict twin of a table: its shape and its meaning, and needed fields required."""
    return type(f"{schema.__name__}Strict", (Fields,), {n: _strict(f) for n, f in schema._declared_fields.items()})


def _loose(field: ma.fields.Field[Any]) -> ma.fields.Field[Any]:
    twin = copy(field)
    if isinstance(field, Table):
        return Table(shape_of(field.nested), allow_none=field.allow_none, metadata=field.metadata)  # type: ignore[arg-type]
    return twin


def _strict(field: ma.fields.Field[Any]) -> ma.fields.Field[Any]:
    if isinstance(field, Table):
        strict = strict_of(field.nested)  # type: ignore[arg-type]  # a class, as `table` takes nothing else
        return Table(strict, required=field.needed, allow_none=field.allow_none, metadata=field.metadata)
    twin = copy(field)
    twin.validators = [*field.validators, *getattr(field, "meaning", ())]
    twin.required = field.required or getattr(field, "needed", False)
    if isinstance(field, Items) and isinstance(twin, Items):
        twin.inner = _strict(field.inner)
    return twin


@cache
def _loose_instance(schema: type[Fields]) -> Fields:
    return shape_of(schema)()


@cache
def _strict_instance(schema: type[Fields]) -> Fields:
    return strict_of(schema)()
