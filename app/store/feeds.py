"""The record of a project's feed, and the events that are on their way to it, as they are in MongoDB.

Two classes write it, each its own fields: `Outboxes` numbers events, `Events` trims them.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict, cast

from bson import ObjectId
from pymongo.collection import Collection as MongoCollection
from pymongo.database import Database

from app.rules.actors import Actor
from app.store.indexes import FIRST_DATE
from app.store.types import Bson


class OutboxEvent(TypedDict):
    """An event in the outbox of a record."""

    _id: ObjectId
    type: str
    at: datetime
    by: Actor
    data: dict[str, Any]
    """As in `StoredEvent`, with ObjectIds."""


class PlannedEvent(OutboxEvent):
    """An event with its place in the feed, and the record in whose outbox it waits."""

    projectId: ObjectId
    sequence: int
    collection: str
    record: ObjectId


class StoredFeed(TypedDict):
    """The feed of a project, under the project's id."""

    _id: ObjectId
    sequence: int
    """The number of its last event, 0 for none."""
    plan: list[PlannedEvent]
    """The batch of events that is being moved to the feed; empty when that is done."""
    plannedAt: datetime
    """When the last plan was written, which never goes back."""
    trimmed: NotRequired[int]
    """The number of the last event that was trimmed: the feed begins after it."""
    deleted: NotRequired[int]
    """Up to which number what was trimmed is deleted."""


def feeds_of(database: Database[Bson]) -> MongoCollection[StoredFeed]:
    """Returns the collection of feeds."""
    return cast(MongoCollection[StoredFeed], database.feeds)


def new_feed(project_id: str) -> StoredFeed:
    """Returns the feed of a project that has no events."""
    return StoredFeed(_id=ObjectId(project_id), sequence=0, plan=[], plannedAt=FIRST_DATE, trimmed=0, deleted=0)
