"""Errors as callers see them: one JSON Schema a row of the error table."""

from typing import Any

from app import errors
from app.errors import Refusal
from app.records.kinds import HEX_ID
from app.vocabulary import DocumentStatus, Scope

_TEXT = {"type": "string"}
_NULLABLE_TIME = {"type": ["string", "null"], "format": "date-time"}


def _list_of(first: str, description: str) -> dict[str, Any]:
    pair = {"type": "object", "required": [first, "message"], "properties": {first: _TEXT, "message": _TEXT}}
    return {"type": "array", "description": description, "items": pair}


_ACTOR = {
    "type": ["object", "null"],
    "description": "who claimed it",
    "required": ["type", "id", "name", "agent"],
    "properties": {
        "type": _TEXT,
        "id": {"type": ["string", "null"], "pattern": HEX_ID},
        "name": _TEXT,
        "agent": _TEXT,
    },
}

EXTRA_KEYS: dict[type[Refusal], dict[str, Any]] = {
    errors.HttpApiDecodeError: {"issues": _list_of("path", "every problem at once")},
    errors.IntentInvalid: {"errors": _list_of("field", "every problem, sorted by field")},
    errors.BadRequest: {"errors": _list_of("field", "every problem, sorted by field, where there are fields to name")},
    errors.BriefClaimed: {"claimedBy": _ACTOR, "claimedAt": {**_NULLABLE_TIME, "description": "since when"}},
    errors.Forbidden: {"scope": {"type": "string", "enum": [str(scope) for scope in Scope]}},
    errors.VersionConflict: {
        "version": {"type": "integer", "description": "the document's present version"},
        "baseVersion": {"type": "integer", "description": "the version that was sent"},
    },
    errors.InvalidTransition: {
        "status": {"type": "string", "enum": [str(status) for status in DocumentStatus]},
        "allowed": {"type": "array", "items": _TEXT, "description": "the operations that the status allows"},
    },
}
"""What an error carries beside `_tag` and `message`."""

OPTIONAL_KEYS = {(errors.BadRequest, "errors"), (errors.Forbidden, "scope")}


def error_schema(error: type[Refusal]) -> dict[str, Any]:
    """Returns the JSON Schema of an error's body."""
    extra = EXTRA_KEYS.get(error, {})
    return {
        "type": "object",
        "description": (error.__doc__ or "").strip(),
        "required": ["_tag", "message", *(key for key in extra if (error, key) not in OPTIONAL_KEYS)],
        "properties": {
            "_tag": {"type": "string", "const": error.__name__},
            "message": {"type": "string", "description": "what to do"},
            **extra,
        },
    }


def error_example(error: type[Refusal]) -> dict[str, Any]:
    """Returns an example of an error's body."""
    keys = EXTRA_KEYS.get(error, {})
    return {"_tag": error.__name__, "message": error.message, **{key: _EXAMPLES[error, key] for key in keys}}


_EXAMPLES: dict[tuple[type[Refusal], str], Any] = {
    (errors.HttpApiDecodeError, "issues"): [{"path": "title", "message": "Must be at most 300 characters."}],
    (errors.IntentInvalid, "errors"): [{"field": "title", "message": "Is required."}],
    (errors.BadRequest, "errors"): [
        {"field": "referenceUrls[3]", "message": "Must be an http or https URL with a host."}
    ],
    (errors.BriefClaimed, "claimedBy"): {
        "type": "token",
        "id": "6650f0a1b2c3d4e5f6a7b8c9",
        "name": "Night writer",
        "agent": "writer-1",
    },
    (errors.BriefClaimed, "claimedAt"): "2027-01-31T09:00:00.000Z",
    (errors.Forbidden, "scope"): "publish",
    (errors.VersionConflict, "version"): 4,
    (errors.VersionConflict, "baseVersion"): 3,
    (errors.InvalidTransition, "status"): "review",
    (errors.InvalidTransition, "allowed"): ["approve", "request-changes"],
}
