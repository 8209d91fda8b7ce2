"""The examples of the OpenAPI document, made from the examples of fields and from what operations answer."""

from datetime import UTC, datetime
from typing import Any

import marshmallow as ma

from app.errors import (
    BadRequest,
    BriefClaimed,
    Forbidden,
    HttpApiDecodeError,
    IntentInvalid,
    InternalError,
    Issue,
    RateLimited,
    Refusal,
)
from app.fields.intents import INTENT_FIELDS
from app.fields.loading import cached_schema, load, problems
from app.fields.types import EXAMPLE, Schema
from app.operations.intents import FULL_OF_DRAFTS
from app.records.errors import EXTRA_KEYS
from app.records.intents import TAKEN_KEYWORD, ValidationRecord
from app.records.types import EXAMPLE_ID, EXAMPLE_TIME
from app.rest.route import Route
from app.rules.actors import SYSTEM
from app.rules.briefs import brief_claimed
from app.rules.calls import Call
from app.rules.documents import NO_CLAIM
from app.rules.webhooks import TEST
from app.vocabulary import ActorType, BriefState, Channel, Kind

_SINCE = datetime(2027, 1, 31, 9, tzinfo=UTC)
_CLAIMED = brief_claimed(
    {
        "state": BriefState.CLAIMED,
        "claimedBy": {"type": ActorType.TOKEN, "id": EXAMPLE_ID, "name": "Night writer", "agent": "writer-1"},
        "claimedAt": _SINCE,
    },
    Call(SYSTEM, Channel.REST, _SINCE),
)
MESSAGES: dict[type[Refusal], str] = {
    BriefClaimed: _CLAIMED.message,
    InternalError: InternalError("9f86d081884c7d65").message,
    RateLimited: "Too many requests of this token: wait 42 s, then send the request again.",
}
"""Examples of messages that depend on the request."""

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
    **dict.fromkeys(("get_project", "update_project", "unfreeze_project"), {"frozen": None}),
}
"""What differs in the example of an operation's response; in others a document is claimed, and a project is frozen."""


def request_example(schema: type[ma.Schema]) -> dict[str, Any]:
    """Returns an example of a body: the fields that have one."""
    return _without_none(_example(cached_schema(schema)))


def response_example(route: Route) -> Any:
    """Returns an example of a route's response: every key of the record."""
    if route.kind is not None and route.response is ValidationRecord:
        return _validation_example(route.kind)
    example = _changed(_example(cached_schema(route.response)), AFTER.get(route.operation.name, {}))
    return [example] if route.operation.many else example


def _validation_example(kind: Kind) -> dict[str, Any]:
    """Returns an example of what is wrong with a draft: the fields that a draft of its kind lacks."""
    warnings = {"warnings": [TAKEN_KEYWORD]} if kind is Kind.DOCUMENT else {}
    return {"valid": False, "errors": problems(INTENT_FIELDS[kind], {}), **warnings}


def _changed(example: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Returns an example with other values of keys that it has."""
    return example | {
        name: _changed(example[name], value) if isinstance(value, dict) else value
        for name, value in changes.items()
        if name in example
    }


def _example(schema: ma.Schema) -> dict[str, Any]:
    return {field.data_key or name: _value(field) for name, field in schema.fields.items()}


def _without_none(example: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _without_none(value) if isinstance(value, dict) else value
        for name, value in example.items()
        if value is not None
    }


def _value(field: ma.fields.Field[Any]) -> Any:
    if EXAMPLE in field.metadata:
        return field.metadata[EXAMPLE]
    if isinstance(field, ma.fields.Nested):
        return request_example(type(field.schema)) if isinstance(field.schema, Schema) else _example(field.schema)
    if isinstance(field, ma.fields.List) and isinstance(field.inner, ma.fields.Nested):
        return [_value(field.inner)]
    return None


def error_example(error: type[Refusal]) -> dict[str, Any]:
    """Returns an example of an error's body."""
    extra = EXTRA_KEYS.get(error, {}).items()
    shown = {name: _value(field) for name, field in extra if field.required or EXAMPLE in field.metadata}
    return {"_tag": error.__name__, "message": MESSAGES.get(error, error.message), **shown}


def refusal_example(error: type[Refusal], route: Route | None) -> dict[str, Any]:
    """Returns an example of an error as a route answers with it."""
    refusal = _refusal(error, route) if route else None
    return refusal.body() if refusal else error_example(error)


def _refusal(error: type[Refusal], route: Route) -> Refusal | None:
    if error is Forbidden:
        return route.operation.forbidden()
    if error is HttpApiDecodeError:
        return _wrong_type(route)
    if error is BadRequest and route.operation.body is not None:
        return _wrong_value(route.operation.body) if route.operation.checks_meaning else BadRequest(FULL_OF_DRAFTS)
    if error is IntentInvalid and route.kind is not None:
        return IntentInvalid(problems(INTENT_FIELDS[route.kind], {}))
    return None


def _wrong_type(route: Route) -> HttpApiDecodeError:
    """Returns the error of a wrong type in the first field that a route takes."""
    schema = route.operation.body or route.query
    if schema is None:
        return HttpApiDecodeError(issues=[Issue(path="search", message="Unknown query parameter; known here: none.")])
    name = next(field.data_key or name for name, field in cached_schema(schema).fields.items())
    try:
        load(schema, {**request_example(schema), name: {}})
    except HttpApiDecodeError as refused:
        return refused
    raise AssertionError(f"{schema.__name__}.{name} takes an object: declare another field first.")


def _wrong_value(schema: type[ma.Schema]) -> BadRequest | None:
    """Returns the error of a wrong value in the first field whose meaning is checked."""
    for name in cached_schema(schema).fields:
        example = {**request_example(schema), name: "%"}
        try:
            load(schema, example)
        except HttpApiDecodeError:
            continue
        if wrong := problems(schema, example):
            return BadRequest(errors=wrong)
    return None
