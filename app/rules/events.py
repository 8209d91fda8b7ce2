"""What happened: each operation that changed something says so in one event (decisions, section 9)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Event:
    """Something that a write did: its type, when, by whom, and what the record itself does not say."""

    type: str
    at: datetime
    by: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)


def in_feed_order(outboxes: Iterable[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Returns the events of several records as the feed has them: each record's in their own order, all by `at`.

    Two servers' clocks differ, so of two events of one record the later may bear the earlier time: it counts as
    being as late as the one before it.
    """
    placed = []
    for outbox in outboxes:
        latest: tuple[Any, ...] = ()
        for event in outbox:
            latest = max(latest, (event["at"], event["_id"]))
            placed.append((latest, event))
    return [event for _, event in sorted(placed, key=lambda pair: pair[0])]
