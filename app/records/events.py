"""Events as callers see them (decisions, section 9)."""

from typing import Any, TypedDict

from marshmallow import fields

from app.fields.types import EXAMPLE
from app.records.actors import ActorRecord
from app.records.types import EXAMPLE_ID, Record, integer, nested, nested_list, record_id, string, timestamp
from app.rules.actors import Actor
from app.rules.events import StoredEvent
from app.rules.times import wire_time
from app.rules.webhooks import plain
from app.vocabulary import EVENT_TYPES


def _details(doc: str) -> fields.Dict:
    example = {"documentId": EXAMPLE_ID, "status": "drafting", "version": 1, "slug": "flour", "briefState": "claimed"}
    return fields.Dict(keys=fields.String(), required=True, metadata={"description": doc, EXAMPLE: example})


class EventRecord(Record):
    """A change in the project."""

    id = record_id("the event's id, the same in webhooks")
    sequence = integer("its number in the project's feed: 1, 2, 3, … without a gap", example=42)
    type = string("what happened", one_of=EVENT_TYPES, example="brief.claimed")
    at = timestamp("when")
    by = nested(ActorRecord, "who did it")
    data = _details("to what: ids, and a document's status, version, slug and brief state after it; never a text")


class EventPage(Record):
    """Events in order, and where to read on."""

    events = nested_list(EventRecord, "the events, oldest first; fewer than `limit` means that there are no more yet")
    cursor = string(
        "send it as `after` to read on; it is there when the page is empty, too", example="ZlDwobLD1OX2p7jJAAAAAAAq"
    )


class ActivityRecord(Record):
    """A change of a document."""

    id = record_id("the event's id")
    type = string("what happened", one_of=EVENT_TYPES, example="brief.claimed")
    at = timestamp("when")
    by = nested(ActorRecord, "who did it")
    details = _details("what the event says of the document after it: status, version, slug, brief state")


class ShownEvent(TypedDict):
    """An event as the feed shows it."""

    id: str
    sequence: int
    type: str
    at: str
    by: Actor
    data: dict[str, Any]


class ShownEventPage(TypedDict):
    """A page of the feed as callers see it."""

    events: list[ShownEvent]
    cursor: str


class ShownActivity(TypedDict):
    """An event as the activity of a document shows it."""

    id: str
    type: str
    at: str
    by: Actor
    details: dict[str, Any]


def event_record(event: StoredEvent) -> ShownEvent:
    """Returns a relayed event as callers see it."""
    return {
        "id": event["id"],
        "sequence": event["sequence"],
        "type": event["type"],
        "at": wire_time(event["at"]),
        "by": event["by"],
        "data": plain(event["data"]),
    }


def activity_record(event: StoredEvent) -> ShownActivity:
    """Returns an event as a document's activity shows it, relayed or not."""
    return {
        "id": event["id"],
        "type": event["type"],
        "at": wire_time(event["at"]),
        "by": event["by"],
        "details": plain(event["data"]),
    }
