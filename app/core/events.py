"""Events, of which each change creates one, and cursors: places in a project's feed (decisions, section 9)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from operator import itemgetter
from typing import Any, NotRequired, TypedDict, TypeVar

from app.core.actors import Actor


@dataclass(frozen=True)
class Event:
    """A change of a record: its type, when, by whom, and details that the record itself does not have."""

    type: str
    at: datetime
    by: Actor
    data: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    """A note that somebody wrote with it; only the document's activity shows it."""


class StoredEvent(TypedDict):
    """An event as the store returns it, from the feed or from an outbox."""

    id: str
    type: str
    at: datetime
    by: Actor
    data: dict[str, Any]
    """Ids, and what the record was after the change; which keys there are depends on the type."""
    note: NotRequired[str]
    """Missing where nothing was written with it."""
    projectId: NotRequired[str]
    """Missing in an outbox, as is `sequence`."""
    sequence: NotRequired[int]
    """Its number in the project's feed."""
    delivery: NotRequired[str]
    """The id of the change of what is delivered that it is part of; not in the feed."""


Waiting = TypeVar("Waiting", bound=Mapping[str, Any])


def in_feed_order(outboxes: Iterable[Sequence[Waiting]]) -> list[Waiting]:
    """Returns the events of several records sorted by `at`, with the events of each record in their own order.

    The clocks of two servers differ, so an event may have an earlier time than the event before it in the same record:
    then it is sorted by the time of that one.
    """
    placed: list[tuple[Any, Waiting]] = []
    for outbox in outboxes:
        latest = accumulate(((event["at"], event["_id"]) for event in outbox), max)
        placed += zip(latest, outbox, strict=True)
    return [event for _, event in sorted(placed, key=itemgetter(0))]
