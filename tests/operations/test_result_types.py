"""What an operation's function says it returns, held against the schema that documents it."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, NotRequired, TypedDict, get_args, get_origin, get_type_hints

import marshmallow as ma
import pytest
from marshmallow import fields

import app.operations
from app.operations.operation import Operation
from app.records.documents import TEXT_IF_MISSING
from app.records.intents import CONFIRMED_RECORDS, ConfirmedRecord

MODULES = [
    importlib.import_module(f"app.operations.{one.name}") for one in pkgutil.iter_modules(app.operations.__path__)
]
OPERATIONS = {one.name: one for module in MODULES for one in vars(module).values() if isinstance(one, Operation)}
SIMPLE = {fields.String: str, fields.Integer: int, fields.Boolean: bool, fields.Float: float, fields.Dict: dict}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_the_type_of_a_result_says_what_its_schema_documents(name: str) -> None:
    operation = OPERATIONS[name]
    (body,) = get_args(get_type_hints(operation.function)["return"])
    if operation.many:
        assert get_origin(body) is list
        (body,) = get_args(body)

    if operation.response is ConfirmedRecord:  # one key for the record, named after its kind
        types = get_type_hints(body)
        assert types.keys() == {"intentId", *map(str, CONFIRMED_RECORDS)}
        found = [
            one
            for kind, schema in CONFIRMED_RECORDS.items()
            for one in _of_field(schema().fields[kind], types[kind], kind)
        ]
    else:
        found = [*_differences(operation.response(), body)]

    assert found == []


def test_every_kind_of_difference_is_found() -> None:
    class Inner(ma.Schema):
        at = fields.String(required=True)

    class Documented(ma.Schema):
        id = fields.Integer(required=True)
        name = fields.String(required=True, allow_none=True)
        lists = fields.List(fields.String(), required=True)
        inner = fields.Nested(Inner, required=True)
        undeclared = fields.String(required=True)
        always = fields.String(required=True)
        agrees = fields.String(data_key="from", required=True)

    class OtherInner(TypedDict):
        at: str | None

    declared = TypedDict(
        "declared",
        {
            "id": str,
            "name": str,
            "lists": list[int],
            "inner": OtherInner,
            "undocumented": str,
            "always": NotRequired[str],
            "from": str,
        },
    )

    found = [*_differences(Documented(), declared)]

    assert sorted(found) == ["always", "id", "inner.at", "lists", "name", "undeclared", "undocumented"]


def _differences(schema: ma.Schema, declared: Any, place: str = "") -> Iterator[str]:
    """Yields the fields in which a type is not what a schema documents; long texts are read separately."""
    documented = {field.data_key or name: field for name, field in schema.fields.items()}
    if get_origin(declared) is dict:
        types = dict.fromkeys(documented, get_args(declared)[1])
    else:
        types = get_type_hints(declared, include_extras=True)
    for name in documented.keys() | types.keys():
        path = f"{place}.{name}".lstrip(".")
        if name in documented and name in types:
            yield from _of_field(documented[name], types[name], path)
        elif name in types or name not in TEXT_IF_MISSING:
            yield path


def _of_field(field: fields.Field[Any], declared: Any, place: str) -> Iterator[str]:
    may_be_missing = get_origin(declared) is NotRequired
    (declared,) = get_args(declared) if may_be_missing else (declared,)
    may_be_null = get_origin(declared) is UnionType
    (declared,) = {*get_args(declared)} - {NoneType} if may_be_null else (declared,)

    if declared is Any:
        return
    if (may_be_missing and field.required) or (may_be_null != field.allow_none and field.required):
        yield place
    elif isinstance(field, fields.List):
        yield from [place] if get_origin(declared) is not list else _of_field(field.inner, *get_args(declared), place)
    elif isinstance(field, fields.Nested):
        yield from _differences(field.schema, declared, place)
    elif (get_origin(declared) or declared) is not SIMPLE[type(field)]:
        yield place
