"""Who wrote, as callers see it."""

from app.records.types import EXAMPLE_ID, Record, record_id, string
from app.vocabulary import ActorType


class ActorRecord(Record):
    """A token, or the service itself."""

    type = string("what wrote: `token`, or `system` for the command line and the worker", one_of=ActorType)
    id = record_id("the token's id", null=True, example=EXAMPLE_ID)
    name = string("the token's name", example="Night writer")
    agent = string("the agent that uses the token; empty where there is none", example="writer-1")
