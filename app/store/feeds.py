"""The record of a project's feed, and the events that are on their way to it, as they are in MongoDB.

Three classes write it, each its own fields: `Outboxes` numbers events, `Events` trims them, `Insights` counts them.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict, cast

from bson import ObjectId
from pymongo.collection import Collection as MongoCollection
from pymongo.database import Database

from app.rules.actors import Actor
from app.store.types import Bson


class OutboxEvent(TypedDict):
    """An event in the outbox of a record."""

    _id: ObjectId
    type: str
    at: datetime
    by: Actor
    data: dict[str, Any]
    """As in `StoredEvent`, with ObjectIds."""


class Origin(TypedDict):
    """The record in whose outbox an event waits."""

    collection: str
    record: ObjectId


class WaitingEvent(OutboxEvent):
    """An event with the record that it waits in."""

    of: Origin


class PlannedEvent(WaitingEvent):
    """An event with its place in the feed."""

    projectId: ObjectId
    sequence: int


class WaitingRecord(TypedDict):
    """A record with events in its outbox."""

    _id: ObjectId
    collection: str
    outbox: list[OutboxEvent]


class StatusHistory(TypedDict):
    """Since when changes of status are counted without a gap, and up to which sequence number."""

    since: datetime
    upto: int


class StoredFeed(TypedDict):
    """The feed of a project, under the project's id."""

    _id: ObjectId
    sequence: int
    """The number of its last event, 0 for none."""
    plan: list[PlannedEvent]
    """The batch of events that is being moved to the feed; empty when that is done."""
    plannedAt: NotRequired[datetime]
    """When the last plan was written, which never goes back. Feeds that an earlier version wrote last have none."""
    cut: int
    """The number of the last event that was trimmed: the feed begins after it."""
    swept: int
    """Up to which number what was trimmed is deleted."""
    counted: NotRequired[int]
    """Up to which number events are counted in the project's figures."""
    counting: NotRequired[int | None]
    """Up to which number they are being counted; None when that is done."""
    history: NotRequired[StatusHistory]


def feeds_of(database: Database[Bson]) -> MongoCollection[StoredFeed]:
    """Returns the collection of feeds."""
    return cast(MongoCollection[StoredFeed], database.feeds)


def new_feed(project_id: str) -> StoredFeed:
    """Returns the feed of a project that has no events."""
    return StoredFeed(_id=ObjectId(project_id), sequence=0, plan=[], cut=0, swept=0)
