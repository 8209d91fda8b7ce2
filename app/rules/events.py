"""Events, of which each change creates one, and cursors: places in a project's feed (decisions, section 9)."""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from operator import itemgetter
from typing import Any, NotRequired, TypedDict, TypeVar

from app.rules.actors import Actor

CURSOR_BYTES = 12 + 6
"""The id of the project, and the sequence number of an event."""


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


def cursor_of(project_id: str, sequence: int) -> str:
    """Returns the cursor of the place after an event: the project's id and the event's sequence number."""
    return base64.urlsafe_b64encode(bytes.fromhex(project_id) + sequence.to_bytes(6, "big")).decode()


def read_cursor(project_id: str, cursor: str) -> int | None:
    """Returns the sequence number in a cursor, None for a text that is not a cursor of the project."""
    try:
        place = base64.b64decode(cursor, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return int.from_bytes(place[12:], "big") if len(place) == CURSOR_BYTES and place[:12].hex() == project_id else None
