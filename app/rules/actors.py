"""Who wrote: the `createdBy`, `claimedBy` and `contentUpdatedBy` of records and the `by` of events."""

from typing import TypedDict

from app.vocabulary import ActorType


class Actor(TypedDict):
    """A token, or the service itself (decisions, section 2)."""

    type: str
    id: str | None
    name: str
    agent: str


SYSTEM: Actor = {"type": ActorType.SYSTEM, "id": None, "name": "content-workflow", "agent": ""}
"""The service itself: the command line and the worker."""
