"""The examples of the OpenAPI document, made from those of keys; `examples.yaml` has what operations change in them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from app.core.errors import IntentInvalid, Refusal
from app.core.schemas.loading import problems
from app.core.vocabulary import Kind
from app.intents.responses import Validation
from app.intents.schemas import INTENT_FIELDS
from app.rest.response_schemas import REF, JsonSchema
from app.rest.route import Route

CHANGES: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
"""Changes to the examples of operations' responses, by the operation's name."""

USUAL = {"string": "", "integer": 1, "boolean": False, "array": [], "object": {}}
"""The example of a required key that names none, by its type."""


def response_example(route: Route, schema: JsonSchema, known: Mapping[str, JsonSchema]) -> Any:
    """Returns an example of a route's response; `known` are the components."""
    shown, changes = example(schema, known), CHANGES.get(route.operation.name)
    if route.operation.response is Validation and route.kind is not None:
        own = {"valid": False, "errors": problems(route.features.schema_of(INTENT_FIELDS[route.kind]), {})}
        return shown | own if route.kind is Kind.DOCUMENT else own
    return _changed(shown, changes) if changes else shown


def error_examples(error: type[Refusal], known: Mapping[str, JsonSchema]) -> dict[str, Any]:
    """Returns examples of an error's body by name: of `IntentInvalid` what a draft of each kind lacks.

    `known` are the components.
    """
    if error is IntentInvalid:
        return {f"IntentInvalid.{kind}": error(problems(fields, {})).body() for kind, fields in INTENT_FIELDS.items()}
    return {error.__name__: {**example(known[error.__name__], known), "message": error.message}}


def example(schema: JsonSchema, known: Mapping[str, JsonSchema], *, is_required: bool = True) -> Any:
    """Returns an example of a schema: the required keys, and those that have one; None where there is none."""
    if "examples" in schema:
        return schema["examples"][0]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return example(schema["anyOf"][0], known)
    if "$ref" in schema:
        return example(known[schema["$ref"].removeprefix(REF)], known)
    if "properties" in schema:
        required = schema.get("required", ())
        shown = {name: example(key, known, is_required=name in required) for name, key in schema["properties"].items()}
        return {name: value for name, value in shown.items() if value is not None or name in required}
    if not is_required:
        return None
    if "$ref" in schema.get("items", {}):
        return [example(schema["items"], known)]
    if "enum" in schema:
        return next(filter(None, schema["enum"]))
    return None if isinstance(schema["type"], list) else USUAL[schema["type"]]


def _changed(shown: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Returns a copy of an example in which `changes` replace the values of keys that it has."""
    return shown | {
        name: _changed(shown[name], value) if isinstance(value, dict) else value
        for name, value in changes.items()
        if name in shown
    }
