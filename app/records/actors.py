"""Who wrote, as callers see it."""

from app.records.kinds import Record, record_id, text
from app.vocabulary import ActorType


class ActorRecord(Record):
    """A token, or the service itself."""

    type = text("what wrote: `token`, or `system` for the command line and the worker", one_of=ActorType)
    id = record_id("the token's id", null=True)
    name = text("the token's name")
    agent = text("the agent that uses the token; empty where there is none")
