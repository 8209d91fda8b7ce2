"""Who wrote: the `createdBy`, `claimedBy` and `contentUpdatedBy` of records and the `by` of events."""

from datetime import datetime
from typing import TypedDict

from app.rules.times import wire_time
from app.vocabulary import ActorType


class Actor(TypedDict):
    """A token, or the service itself (decisions, section 2)."""

    type: str
    id: str | None
    name: str
    agent: str


SYSTEM: Actor = {"type": ActorType.SYSTEM, "id": None, "name": "content-workflow", "agent": ""}
"""The service itself: the command line and the worker."""


class Note(TypedDict):
    """What somebody said, like why a project is frozen, or what has to change in a document."""

    note: str
    at: datetime
    by: Actor


class ShownNote(TypedDict):
    """A note as callers see it."""

    note: str
    at: str
    by: Actor


def shown_note(note: Note | None) -> ShownNote | None:
    """Returns a note as callers see it, None for none."""
    return note and {"note": note["note"], "at": wire_time(note["at"]), "by": note["by"]}
