"""Drafts as callers see them (contract: Intent)."""

from typing import Any, NotRequired, TypedDict

import marshmallow as ma

from app.errors import Problem
from app.fields.intents import INTENT_FIELDS
from app.records.actors import ActorRecord
from app.records.checks import CheckResult
from app.records.documents import DocumentRecord, ShownDocument
from app.records.errors import ProblemRecord
from app.records.named import CategoryRecord, ClusterRecord, ShownCategory, ShownCluster
from app.records.types import Record, boolean, nested, nested_list, record_id, string, timestamp
from app.rules.actors import Actor
from app.rules.checks import ShownCheck
from app.rules.intents import StoredIntent
from app.rules.times import wire_time
from app.vocabulary import Kind


class IntentRecord(Record):
    """A draft; `fields` holds the fields set so far, as they were sent."""

    id = record_id("the draft's id")
    kind = string("the kind of record that it becomes", one_of=Kind)
    createdAt = timestamp("when it was created")
    updatedAt = timestamp("when it was last updated")
    createdBy = nested(ActorRecord, "the token it belongs to")
    fields_ = ma.fields.Dict(
        data_key="fields", required=True, metadata={"description": "the fields set so far, as they were sent"}
    )


INTENT_RECORDS: dict[Kind, type[ma.Schema]] = {
    kind: IntentRecord.from_dict(
        {
            "kind": string("the kind of record that it becomes", one_of=Kind, example=str(kind)),
            "fields_": nested(fields, "the fields set so far", data_key="fields"),
        },
        name=f"{kind.title()}IntentRecord",
    )
    for kind, fields in INTENT_FIELDS.items()
}


class ConfirmedRecord(Record):
    """The response to a confirm; one key named after the kind, which `CONFIRMED_RECORDS` add, holds the new record."""

    intentId = record_id("the id the draft had")


RECORDS = {Kind.DOCUMENT: DocumentRecord, Kind.CLUSTER: ClusterRecord, Kind.CATEGORY: CategoryRecord}

CONFIRMED_RECORDS: dict[Kind, type[ma.Schema]] = {
    kind: ConfirmedRecord.from_dict({kind.value: nested(record, f"the new {kind}")}, name=f"Confirmed{kind.title()}")
    for kind, record in RECORDS.items()
}


TAKEN_KEYWORD = {
    "check": "keyword_taken",
    "level": "warning",
    "outcome": "failed",
    "message": "Other documents have the keyword 'sourdough starter', too: 'Feeding a starter'.",
    "line": None,
}


class ValidationRecord(Record):
    """The problems that a confirm would find now."""

    valid = boolean("whether it would be confirmed")
    errors = nested_list(ProblemRecord, "every problem, sorted by field")
    warnings = nested_list(
        CheckResult, "`keyword_taken`, for a document draft whose keyword another document has", required=False
    )


class ShownIntent(TypedDict):
    """A draft as callers see it."""

    id: str
    kind: str
    createdAt: str
    updatedAt: str
    createdBy: Actor
    fields: dict[str, Any]


class ShownConfirmed(TypedDict):
    """What confirming returns: the new record under its kind."""

    document: NotRequired[ShownDocument]
    cluster: NotRequired[ShownCluster]
    category: NotRequired[ShownCategory]
    intentId: str


class ShownValidation(TypedDict):
    """What confirming a draft would find, as callers see it."""

    valid: bool
    errors: list[Problem]
    warnings: NotRequired[list[ShownCheck]]


def intent_record(draft: StoredIntent) -> ShownIntent:
    """Returns a stored draft as callers see it."""
    return {
        "id": draft["id"],
        "kind": draft["kind"],
        "createdAt": wire_time(draft["createdAt"]),
        "updatedAt": wire_time(draft["updatedAt"]),
        "createdBy": draft["createdBy"],
        "fields": draft["fields"],
    }
