"""Errors as callers see them: what each has beside `_tag` and `message`."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from app import errors
from app.errors import Refusal
from app.records.actors import ActorRecord
from app.records.checks import CheckResult
from app.records.projects import frozen_fields
from app.records.types import EXAMPLE_TIME, Record, integer, nested, nested_list, string, strings, timestamp
from app.vocabulary import BudgetLimit, DocumentStatus, Scope


class ErrorRecord(Record):
    """An error, with the keys that its tag has beside these."""

    _tag = string("which error it is", example="InvalidTransition")
    message = string("what is wrong, and what to do")


class IssueRecord(Record):
    """One thing wrong with the form of a request."""

    path = string("where, as in `brief.keyword` or `limit`", example="title")
    message = string("what is wrong, and what would be right", example="Must be at most 300 characters.")


class ProblemRecord(Record):
    """One problem of one field."""

    field = string("the field's name, with a path inside the brief, as in `brief.referenceUrls[3]`", example="title")
    message = string("what is wrong, and what would be right", example="Is required.")


FAILED_CHECK = {
    "check": "meta_title",
    "level": "error",
    "outcome": "failed",
    "message": "The meta title is missing.",
    "line": None,
}

EXTRA_KEYS: dict[type[Refusal], dict[str, fields.Field[Any]]] = {
    errors.HttpApiDecodeError: {
        "issues": nested_list(IssueRecord, "every problem at once, at most 100", maxItems=errors.MAX_ISSUES),
        "more": integer("how many problems there are beside those in `issues`", required=False),
    },
    errors.IntentInvalid: {"errors": nested_list(ProblemRecord, "every problem, sorted by field")},
    errors.BadRequest: {
        "errors": nested_list(
            ProblemRecord, "every problem, sorted by field, where there are fields to name", required=False
        )
    },
    errors.BriefClaimed: {
        "claimedBy": nested(ActorRecord, "who claimed it; null where nobody holds a claim", null=True),
        "claimedAt": timestamp("since when", null=True, example=EXAMPLE_TIME),
    },
    errors.ChecksFailed: {
        "checks": nested_list(CheckResult, "every failure of a check whose level is `error`", example=[FAILED_CHECK])
    },
    errors.Forbidden: {"scope": string("the scope that is needed", one_of=Scope, required=False, example="publish")},
    errors.FourEyes: {"by": nested(ActorRecord, "who made or submitted the version")},
    errors.VersionConflict: {
        "version": integer("the document's present version", example=4),
        "baseVersion": integer("the version that was sent", required=False, example=3),
        "hashes": strings("the sections that the document does not have", required=False),
    },
    errors.ProjectFrozen: frozen_fields(),
    errors.BudgetExceeded: {
        "budget": string("the limit", one_of=BudgetLimit),
        "resetsAt": timestamp("when the next hour or day begins"),
    },
    errors.InvalidTransition: {
        "status": string("the document's status", one_of=DocumentStatus, example="review"),
        "allowed": strings("the operations that the status allows", example=["approve", "request-changes"]),
    },
}
"""What an error has beside `_tag` and `message`."""


def error_schema(error: type[Refusal]) -> type[ma.Schema]:
    """Returns the schema of an error's body."""
    tag = fields.String(required=True, validate=validate.Equal(error.__name__))
    message = string("what to do")
    return Record.from_dict({"_tag": tag, "message": message, **EXTRA_KEYS.get(error, {})}, name=error.__name__)
