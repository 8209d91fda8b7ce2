"""Errors as callers see them: one JSON Schema a row of the error table."""

from datetime import UTC, datetime
from typing import Any

from app import errors
from app.errors import Refusal
from app.rules.actors import Actor
from app.rules.briefs import MoveRequest, brief_claimed
from app.rules.times import wire_time
from app.vocabulary import BriefState, BudgetLimit, Channel

_TEXT = {"type": "string"}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _list_of(name: str, description: str) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": _ref(name)}


def _pair(first: str, description: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "required": [first, "message"],
        "properties": {first: _TEXT, "message": _TEXT},
    }


COMPONENTS: dict[str, dict[str, Any]] = {"Issue": _pair("path", "One thing wrong with the form of a request.")}
"""The schemas that errors refer to, beside those of records and closed lists."""

EXTRA_KEYS: dict[type[Refusal], dict[str, Any]] = {
    errors.HttpApiDecodeError: {
        "issues": {**_list_of("Issue", "every problem at once, at most 100"), "maxItems": errors.MAX_ISSUES},
        "more": {"type": "integer", "description": "how many problems there are beside those in `issues`"},
    },
    errors.IntentInvalid: {"errors": _list_of("Problem", "every problem, sorted by field")},
    errors.BadRequest: {
        "errors": _list_of("Problem", "every problem, sorted by field, where there are fields to name")
    },
    errors.BriefClaimed: {
        "claimedBy": {"anyOf": [_ref("Actor"), {"type": "null"}], "description": "who claimed it"},
        "claimedAt": {"type": ["string", "null"], "format": "date-time", "description": "since when"},
    },
    errors.ChecksFailed: {"checks": _list_of("CheckResult", "every failure of a check whose level is `error`")},
    errors.Forbidden: {"scope": _ref("Scope")},
    errors.FourEyes: {"by": _ref("Actor")},
    errors.VersionConflict: {
        "version": {"type": "integer", "description": "the document's present version"},
        "baseVersion": {"type": "integer", "description": "the version that was sent"},
        "hashes": {"type": "array", "items": _TEXT, "description": "the sections that the document does not have"},
    },
    errors.ProjectFrozen: {
        "note": {"type": "string", "description": "why; empty when unset"},
        "at": {"type": "string", "format": "date-time", "description": "since when"},
        "by": _ref("Actor"),
    },
    errors.BudgetExceeded: {
        "budget": _ref("BudgetLimit"),
        "resetsAt": {"type": "string", "format": "date-time", "description": "when the next hour or day begins"},
    },
    errors.InvalidTransition: {
        "status": _ref("DocumentStatus"),
        "allowed": {"type": "array", "items": _TEXT, "description": "the operations that the status allows"},
    },
}
"""What an error carries beside `_tag` and `message`."""

OPTIONAL_KEYS = {
    (errors.VersionConflict, "baseVersion"),
    (errors.VersionConflict, "hashes"),
    (errors.BadRequest, "errors"),
    (errors.Forbidden, "scope"),
    (errors.HttpApiDecodeError, "more"),
}


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
    keys = [key for key in EXTRA_KEYS.get(error, {}) if (error, key) in _EXAMPLES]
    message = _MESSAGES.get(error, error.message)
    return {"_tag": error.__name__, "message": message, **{key: _EXAMPLES[error, key] for key in keys}}


_HOLDER: Actor = {"type": "token", "id": "6650f0a1b2c3d4e5f6a7b8e1", "name": "Night writer", "agent": "writer-1"}
_SINCE = datetime(2027, 1, 31, 9, tzinfo=UTC)
_CLAIMED = brief_claimed(
    {"state": BriefState.CLAIMED, "claimedBy": _HOLDER, "claimedAt": _SINCE},
    MoveRequest(None, Channel.REST, _SINCE),
)

_MESSAGES: dict[type[Refusal], str] = {
    errors.BriefClaimed: _CLAIMED.message,
    errors.InternalError: "Something went wrong on our side. Report it with the request id 9f86d081884c7d65.",
}
"""The messages that depend on the request."""

_EXAMPLES: dict[tuple[type[Refusal], str], Any] = {
    (errors.HttpApiDecodeError, "issues"): [{"path": "title", "message": "Must be at most 300 characters."}],
    (errors.IntentInvalid, "errors"): [{"field": "title", "message": "Is required."}],
    (errors.BriefClaimed, "claimedBy"): _CLAIMED.extra["claimedBy"],
    (errors.BriefClaimed, "claimedAt"): _CLAIMED.extra["claimedAt"],
    (errors.ChecksFailed, "checks"): [
        {
            "check": "meta_title",
            "level": "error",
            "outcome": "failed",
            "message": "The meta title is missing.",
            "line": None,
        }
    ],
    (errors.Forbidden, "scope"): "publish",
    (errors.FourEyes, "by"): _HOLDER,
    (errors.VersionConflict, "version"): 4,
    (errors.VersionConflict, "baseVersion"): 3,
    (errors.ProjectFrozen, "note"): "Wrong prices in last night's drafts.",
    (errors.ProjectFrozen, "at"): wire_time(_SINCE),
    (errors.ProjectFrozen, "by"): _HOLDER,
    (errors.BudgetExceeded, "budget"): str(BudgetLimit.WRITES),
    (errors.BudgetExceeded, "resetsAt"): wire_time(_SINCE),
    (errors.InvalidTransition, "status"): "review",
    (errors.InvalidTransition, "allowed"): ["approve", "request-changes"],
}
