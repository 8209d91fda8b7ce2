"""Who wrote, and what is known of who created documents, clusters and categories, as callers see them."""

from typing import TypedDict

from app.records.types import EXAMPLE_ID, Record, nested, record_id, string, timestamp
from app.rules.actors import Actor
from app.vocabulary import ActorType


class ActorRecord(Record):
    """A token, or the service itself."""

    type = string("what wrote: `token`, or `system` for the command line and the worker", one_of=ActorType)
    id = record_id("the token's id", null=True, example=EXAMPLE_ID)
    name = string("the token's name", example="Night writer")
    agent = string("the agent that uses the token; empty where there is none", example="writer-1")


class CreatedRecord(Record):
    """The fields of documents, clusters and categories that say where they belong and who created them."""

    id = record_id("its id")
    projectId = record_id("its project")
    teamId = record_id("the project's team")
    createdAt = timestamp("when it was created")
    createdBy = nested(ActorRecord, "who created it")
    updatedAt = timestamp("when it last changed")


class ShownCreated(TypedDict):
    """Where a document, cluster or category belongs, and who created it, as callers see it."""

    id: str
    projectId: str
    teamId: str
    createdAt: str
    createdBy: Actor
    updatedAt: str
