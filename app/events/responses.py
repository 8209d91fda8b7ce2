"""Events as callers see them (decisions, section 9)."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import EXAMPLE_ID, Id, Timestamp, doc
from app.core.events import StoredEvent
from app.core.records import record_of
from app.core.times import plain

DETAILS = {"documentId": EXAMPLE_ID, "status": "drafting", "version": 1, "slug": "flour", "briefState": "claimed"}


class Event(TypedDict):
    """A change in the project."""

    id: Annotated[Id, doc("the event's id, the same in webhooks")]
    sequence: Annotated[int, doc("its number in the project's feed: 1, 2, 3, … without a gap", 42)]
    type: Annotated[str, doc("what happened, an `EventType`; further types may come", "brief.claimed")]
    at: Annotated[Timestamp, doc("when")]
    by: Annotated[Actor, doc("who did it")]
    data: Annotated[
        dict[str, Any],
        doc("to what: ids, and a document's status, version, slug and brief state after it; never a text", DETAILS),
    ]


class EventPage(TypedDict):
    """Events in order, and where to read on."""

    events: Annotated[list[Event], doc("the events, oldest first; fewer than `limit` means that there are no more yet")]
    cursor: Annotated[
        str, doc("send it as `after` to read on; it is there when the page is empty, too", "ZlDwobLD1OX2p7jJAAAAAAAq")
    ]


class Activity(TypedDict):
    """A change of a document."""

    id: Annotated[Id, doc("the event's id")]
    type: Annotated[str, doc("what happened: a type of event", "brief.claimed")]
    at: Annotated[Timestamp, doc("when")]
    by: Annotated[Actor, doc("who did it")]
    details: Annotated[
        dict[str, Any],
        doc("the document after it: status, version, slug, brief state; the `note` of a request for changes", DETAILS),
    ]


def event_record(event: StoredEvent) -> Event:
    """Returns a relayed event as callers see it."""
    return record_of(Event, event, data=plain(event["data"]))


def activity_record(event: StoredEvent) -> Activity:
    """Returns an event as a document's activity shows it, relayed or not."""
    note = {"note": event["note"]} if event.get("note") else {}
    return record_of(Activity, event, details=plain(event["data"]) | note)
