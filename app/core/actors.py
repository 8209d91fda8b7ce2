"""Who wrote: the `createdBy`, `claimedBy` and `contentUpdatedBy` of records and the `by` of events."""

from typing import Annotated

from pydantic import AfterValidator
from typing_extensions import TypedDict

from app.core.documented import EXAMPLE_ID, Id, Timestamp, doc, one_of
from app.core.times import Instant, wire_time
from app.core.vocabulary import ActorType


class Actor(TypedDict):
    """A token, a review link, or the service itself (decisions, sections 2 and 17)."""

    type: Annotated[
        str,
        AfterValidator(ActorType),
        one_of(ActorType),
        doc("what wrote: `token`, `link` for a visitor, `system` for the service itself", "token"),
    ]
    id: Annotated[Id | None, doc("the token's or the link's id", EXAMPLE_ID)]
    name: Annotated[str, doc("the token's or the link's name", "Night writer")]
    agent: Annotated[str, doc("the agent that uses the token; empty where there is none", "writer-1")]


SYSTEM: Actor = {"type": ActorType.SYSTEM, "id": None, "name": "content-workflow", "agent": ""}
"""The service itself: the command line and the worker."""


def actor_name(actor: Actor) -> str:
    """Returns who did something: the agent's name with the token's, or the token's."""
    return f"{actor['agent']} ({actor['name']})" if actor["agent"] else actor["name"]


class StoredNote(TypedDict):
    """A note as it is stored."""

    note: str
    at: Instant
    by: Actor


class Note(TypedDict):
    """A note with its time and author, such as why a project is frozen, or what has to change in a document."""

    note: Annotated[str, doc("why, or what has to change; empty when unset", "Wrong prices in last night's drafts.")]
    at: Annotated[Timestamp, doc("when")]
    by: Annotated[Actor, doc("by whom")]


def wire_note(note: StoredNote | None) -> Note | None:
    """Returns a note as callers see it, None for none."""
    return note and {"note": note["note"], "at": wire_time(note["at"]), "by": note["by"]}
