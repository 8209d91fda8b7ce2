"""The examples of the OpenAPI document, made from those of keys; `examples.yaml` has what operations change in them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import marshmallow as ma
import yaml

from app.errors import IntentInvalid, Refusal
from app.responses.intents import TAKEN_KEYWORD, Validation
from app.responses.json_schema import REF, JsonSchema, error_components
from app.rest.route import Route
from app.schemas.intents import INTENT_FIELDS
from app.schemas.loading import cached_schema, problems
from app.schemas.types import EXAMPLE
from app.vocabulary import Kind

CHANGES: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
"""What differs in the examples of operations' responses, by the operation's name."""

USUAL = {"string": "", "integer": 1, "boolean": False, "array": [], "object": {}}
"""The example of a key that names none, by its type."""


def request_example(schema: type[ma.Schema]) -> dict[str, Any]:
    """Returns an example of a body: the fields that have one."""
    fields = {field.data_key or name: field for name, field in cached_schema(schema).fields.items()}
    return {name: value for name, field in fields.items() if (value := _of_field(field)) is not None}


def _of_field(field: ma.fields.Field[Any]) -> Any:
    if EXAMPLE in field.metadata:
        return field.metadata[EXAMPLE]
    if isinstance(field, ma.fields.Nested):
        return request_example(type(field.schema))
    if isinstance(field, ma.fields.List) and isinstance(field.inner, ma.fields.Nested):
        return [_of_field(field.inner)]
    return None


def response_example(route: Route, known: Mapping[str, JsonSchema]) -> Any:
    """Returns an example of a route's response: every key of the record; `known` are the components."""
    if route.operation.response is Validation and route.kind is not None:
        warnings = {"warnings": [TAKEN_KEYWORD]} if route.kind is Kind.DOCUMENT else {}
        return {"valid": False, "errors": problems(INTENT_FIELDS[route.kind], {}), **warnings}
    example = _changed(_example(known[route.component], known), CHANGES.get(route.operation.name, {}))
    return [example] if route.operation.many else example


def error_example(error: type[Refusal], kind: Kind | None = None) -> dict[str, Any]:
    """Returns an example of an error's body; with a kind of draft, of what a draft of this kind lacks."""
    if error is IntentInvalid and kind is not None:
        return IntentInvalid(problems(INTENT_FIELDS[kind], {})).body()
    known = error_components()
    schema = known[error.__name__]
    shown = {
        name: _example(key, known)
        for name, key in schema["properties"].items()
        if name in schema["required"] or "examples" in key
    }
    return shown | {"_tag": error.__name__, "message": error.message}


def _example(schema: JsonSchema, known: Mapping[str, JsonSchema]) -> Any:
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        return _example(schema["anyOf"][0], known)
    if "$ref" in schema:
        return _example(known[schema["$ref"].removeprefix(REF)], known)
    if "enum" in schema:
        return next(filter(None, schema["enum"]))
    if "properties" in schema:
        return {name: _example(key, known) for name, key in schema["properties"].items()}
    if "$ref" in schema.get("items", {}):
        return [_example(schema["items"], known)]
    return None if isinstance(schema["type"], list) else USUAL[schema["type"]]


def _changed(example: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Returns a copy of an example in which `changes` replace the values of keys that it has."""
    return example | {
        name: _changed(example[name], value) if isinstance(value, dict) else value
        for name, value in changes.items()
        if name in example
    }
