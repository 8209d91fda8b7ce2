"""Who wrote, and the fields of every record that a token creates, as callers see them."""

from typing import Any

from app.records.types import EXAMPLE_ID, Record, nested, record_id, string, timestamp
from app.rules.named import StoredFiling
from app.rules.times import wire_time
from app.vocabulary import ActorType


class ActorRecord(Record):
    """A token, or the service itself."""

    type = string("what wrote: `token`, or `system` for the command line and the worker", one_of=ActorType)
    id = record_id("the token's id", null=True, example=EXAMPLE_ID)
    name = string("the token's name", example="Night writer")
    agent = string("the agent that uses the token; empty where there is none", example="writer-1")


class CreatedRecord(Record):
    """The fields of every record that a token creates."""

    id = record_id("its id")
    projectId = record_id("its project")
    teamId = record_id("the project's team")
    createdAt = timestamp("when it was created")
    createdBy = nested(ActorRecord, "who created it")
    updatedAt = timestamp("when it last changed")


def created_record(record: StoredFiling, team_id: str) -> dict[str, Any]:
    """Returns these fields of a stored cluster or category."""
    return {
        "id": record["id"],
        "projectId": record["projectId"],
        "teamId": team_id,
        "createdAt": wire_time(record["createdAt"]),
        "createdBy": record["createdBy"],
        "updatedAt": wire_time(record["updatedAt"]),
    }
