"""Deliveries: the messages of each webhook, when each is tried next, and how each attempt went.

A delivery holds its message, so it does not depend on the feed, which is trimmed. An event has one for each webhook.
"""

from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

import orjson
from bson import ObjectId
from pymongo import InsertOne

from app.core.actors import SYSTEM
from app.core.events import Event, StoredEvent
from app.core.store.collection import DESCENDING, Collection, new_id, to_bson, write_once
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.indexes import FIRST_ID
from app.core.store.store import Store
from app.core.store.types import Bson, Values
from app.publications.store import Publications
from app.webhooks.rules import (
    DELIVERY_CHANGED,
    MOST_NAMED,
    Attempt,
    DeliveryState,
    StoredDelivery,
    message,
    wants,
    what_changed,
)
from app.webhooks.schemas import DeliveryStatus
from app.webhooks.store import Leases, Webhooks

ATTEMPTS_KEPT = 50
SHOWN = {"payload": 0, "requested": 0}


def queue_messages(store: Store, project_id: str, events: Sequence[StoredEvent], now: datetime) -> None:
    """Queues events that were relayed for the webhooks that want them."""
    store[Deliveries].queue(project_id, [*events, *_delivery_changed(store, project_id, events)], now)


def _delivery_changed(store: Store, project_id: str, events: Sequence[StoredEvent]) -> Sequence[StoredEvent]:
    """Returns the message that what is delivered changed with a batch of events; none where it did not.

    Its id follows from the batch: who applies the batch again makes the same message.
    """
    changing = [event for event in events if "delivery" in event]
    if not changing or not any(DELIVERY_CHANGED in one["events"] for one in store[Webhooks].listening(project_id)):
        return ()
    ids = list(dict.fromkeys(one["data"]["documentId"] for one in changing if "documentId" in one["data"]))
    named = ids[:MOST_NAMED]
    delivered = store[Publications].get_many(project_id, named)
    left = [one["data"]["previousSlug"] for one in changing if "previousSlug" in one["data"]]
    slugs = dict.fromkeys([*(delivered[one]["slug"] for one in named if one in delivered), *left])
    data = {
        "revision": store[DeliveryRevisions].read(project_id).number,
        "documentIds": named,
        "slugs": [*slugs][:MOST_NAMED],
        "what": what_changed(changing),
    }
    last = changing[-1]
    message_id = sha256(f"{DELIVERY_CHANGED} {last['id']}".encode()).hexdigest()[:24]
    return (StoredEvent(id=message_id, type=DELIVERY_CHANGED, at=last["at"], by=SYSTEM, data=data),)


class Deliveries(Collection[StoredDelivery]):
    """The deliveries of a project's webhooks."""

    name = "deliveries"

    def queue(self, project_id: str, events: Sequence[StoredEvent], now: datetime) -> None:
        """Queues events for the webhooks that want them, except where they are queued already.

        They are due from `now`, which never goes back in a project, so that what waits is sent in the feed's order.
        """
        webhooks = self._store[Webhooks].listening(project_id)
        wanted = [(webhook["id"], event) for webhook in webhooks for event in events if wants(webhook, event)]
        if not wanted:
            return
        rows = [
            InsertOne(to_bson({"id": new_id(), "projectId": project_id, **_new_delivery(webhook_id, event, now)}))
            for webhook_id, event in wanted
        ]
        write_once(self._collection, rows, ["projectId", "webhookId", "eventId"])
        for webhook_id in dict.fromkeys(webhook_id for webhook_id, _ in wanted):
            self._store[Leases].wake(project_id, webhook_id, now)

    def add(self, project_id: str, webhook_id: str, event: Event) -> StoredDelivery:
        """Queues a message that is not an event of the feed, and returns its delivery."""
        message = StoredEvent(id=new_id(), type=event.type, at=event.at, by=event.by, data=dict(event.data))
        delivery = self._insert(project_id, {**_new_delivery(webhook_id, message, event.at), "requested": True})
        self._store[Leases].wake(project_id, webhook_id, event.at, end_rest=True)
        return delivery

    def log(
        self, project_id: str, webhook_id: str, statuses: Sequence[str], *, limit: int, offset: int
    ) -> list[StoredDelivery]:
        """Returns one page of a webhook's deliveries, newest first."""
        condition: Bson = {"webhookId": ObjectId(webhook_id)}
        if statuses:
            condition["status"] = {"$in": list(statuses)}
        newest = (("_id", DESCENDING),)
        return self._find(project_id, condition, sort=newest, skip=offset, limit=limit, fields=SHOWN)

    def queue_again(self, project_id: str, webhook_id: str, delivery_id: str, now: datetime) -> StoredDelivery | None:
        """Queues a delivery again, to be tried for as long as a new one; None where there is no such delivery.

        An attempt that is under way sees by `nextAttemptAt` that this happened.
        """
        again = {"status": DeliveryStatus.PENDING, "requested": True}
        change = {"$set": {**again, "nextAttemptAt": now, "since": None, "failures": 0}}
        one = {"_id": ObjectId(delivery_id), "webhookId": ObjectId(webhook_id)}
        queued = self._update_one(project_id, one, change, SHOWN)
        if queued is not None:
            self._store[Leases].wake(project_id, webhook_id, now, end_rest=True)
        return queued

    def count_waiting(self) -> int:
        """Returns how many messages of all projects wait to be sent."""
        return self._collection.count_documents({"projectId": {"$gte": FIRST_ID}, "status": DeliveryStatus.PENDING})

    def due(self, project_id: str, webhook_id: str, now: datetime, limit: int) -> list[StoredDelivery]:
        """Returns the deliveries of a webhook that are due, in the order in which they are sent."""
        condition = {
            "webhookId": ObjectId(webhook_id),
            "status": DeliveryStatus.PENDING,
            "nextAttemptAt": {"$lte": now},
        }
        return self._find(project_id, condition, sort=(("nextAttemptAt", 1), ("sequence", 1)), limit=limit)

    def is_requested(self, project_id: str, delivery: StoredDelivery) -> bool:
        """Returns whether a delivery was requested, and was not given up or queued again since it was read."""
        unchanged = {"status": DeliveryStatus.PENDING, "nextAttemptAt": delivery["nextAttemptAt"]}
        return self._exists(project_id, {"_id": ObjectId(delivery["id"]), "requested": True, **unchanged})

    def next_due(self, project_id: str, webhook_id: str) -> datetime | None:
        """Returns when a webhook's next delivery is due, None where none is."""
        condition = {"webhookId": ObjectId(webhook_id), "status": DeliveryStatus.PENDING}
        found = self._find(project_id, condition, sort=(("nextAttemptAt", 1),), limit=1, fields={"nextAttemptAt": 1})
        return found[0]["nextAttemptAt"] if found else None

    def record_attempt(self, project_id: str, delivery: StoredDelivery, attempt: Attempt, state: DeliveryState) -> bool:
        """Adds an attempt to a delivery, and writes what follows from it.

        Returns False where the delivery was queued again since it was read: it stays pending.
        """
        one = self._where(project_id, {"_id": ObjectId(delivery["id"])})
        given_up = None  # meanwhile, as its webhook was disabled
        not_queued_again = {"nextAttemptAt": {"$in": [delivery["nextAttemptAt"], given_up]}}
        added = {"$push": {"attempts": {"$each": [dict(attempt)], "$slice": -ATTEMPTS_KEPT}}}
        written = self._collection.update_one(one | not_queued_again, {**added, "$set": state})
        if not written.matched_count:
            self._collection.update_one(one, added)
        return written.matched_count > 0

    def give_up(self, project_id: str, webhook_id: str, *, keep_requested: bool = False) -> int:
        """Gives up what is pending for a webhook; returns how many deliveries that were.

        `keep_requested` leaves those that were requested and not tried since: tests and redeliveries.
        """
        condition: Bson = {"webhookId": ObjectId(webhook_id), "status": DeliveryStatus.PENDING}
        untried = {"requested": True, "since": None}
        pending = self._where(project_id, condition | ({"$nor": [untried]} if keep_requested else {}))
        over = {"$set": {"status": DeliveryStatus.FAILED, "nextAttemptAt": None}}
        given_up = self._collection.update_many(pending, over, session=self._session)
        return given_up.modified_count


def _new_delivery(webhook_id: str, event: StoredEvent, now: datetime) -> Values:
    """Returns a delivery that was not tried yet."""
    return {
        "webhookId": webhook_id,
        "eventId": event["id"],
        "sequence": event.get("sequence"),
        "type": event["type"],
        "payload": orjson.dumps(message(event)).decode(),
        "status": DeliveryStatus.PENDING,
        "attempts": [],
        "failures": 0,
        "createdAt": now,
        "since": None,
        "nextAttemptAt": now,
    }
