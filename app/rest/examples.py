"""The examples of the OpenAPI document, made from the examples of keys and from what operations answer."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from app.documented import EXAMPLE_TIME
from app.errors import IntentInvalid, Refusal
from app.responses.intents import TAKEN_KEYWORD, Validation
from app.responses.json_schema import REF, JsonSchema, error_components
from app.rest.route import Route
from app.rules.documents import NO_CLAIM
from app.rules.webhooks import TEST
from app.schemas.intents import INTENT_FIELDS
from app.schemas.loading import cached_schema, problems
from app.schemas.types import EXAMPLE
from app.vocabulary import Kind

_NOT_OFFERED = {"state": "none", **NO_CLAIM}
_READY = {"state": "ready", **NO_CLAIM}
_DRAFTED = {"state": "drafted", **NO_CLAIM}
AFTER: dict[str, dict[str, Any]] = {
    "confirm_intent": {"document": {"status": "idea", "brief": _NOT_OFFERED}},
    "mark_brief_ready": {"status": "idea", "brief": _READY},
    "release_brief": {"brief": _READY},
    "withdraw_brief": {"brief": _NOT_OFFERED},
    "submit_document": {"status": "review", "brief": _DRAFTED},
    "approve_document": {"status": "approved", "brief": _DRAFTED},
    "request_changes": {"reviewNote": "Say which flour.", "brief": _DRAFTED},
    "schedule_document": {"status": "scheduled", "publishAt": "2027-02-21T06:00:00.000Z", "brief": _DRAFTED},
    "unschedule_document": {"status": "approved", "brief": _DRAFTED},
    "publish_document": {
        "status": "published",
        "isPublished": True,
        "publishedVersion": 1,
        "publishedAt": EXAMPLE_TIME,
        "publishedMarkdown": "Flour, water and patience.",
        "brief": _DRAFTED,
    },
    "unpublish_document": {"brief": _DRAFTED},
    **dict.fromkeys(("write_content", "edit_content", "restore_revision"), {"version": 2}),
    "revoke_token": {"revokedAt": EXAMPLE_TIME},
    "test_webhook": {"type": TEST, "attempts": [], "nextAttemptAt": EXAMPLE_TIME},
    **dict.fromkeys(("get_project", "update_project", "save_views", "unfreeze_project"), {"frozen": None}),
}
"""What differs in the example of an operation's response; in others a document is claimed, and a project is frozen."""

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
    example = _changed(_example(known[route.component], known), AFTER.get(route.operation.name, {}))
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
    """Returns an example with other values of keys that it has."""
    return example | {
        name: _changed(example[name], value) if isinstance(value, dict) else value
        for name, value in changes.items()
        if name in example
    }
