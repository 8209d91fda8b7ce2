"""Webhooks and their log as callers see them; a secret is in the response that creates it and nowhere else."""

from typing import TypedDict

from app.records.actors import ActorRecord
from app.records.types import Record, boolean, integer, nested, nested_list, record_id, string, strings, timestamp
from app.rules.actors import Actor
from app.rules.times import wire_time, wire_time_or_none
from app.rules.webhooks import TEST, StoredDelivery, StoredWebhook
from app.vocabulary import EVENT_TYPES, DeliveryStatus


class WebhookRecord(Record):
    """A webhook, without its secrets."""

    id = record_id("the webhook's id")
    url = string("where events are sent", format="uri", example="https://hooks.example.org/content")
    events = strings("the types of event that are sent; empty: all", one_of=EVENT_TYPES, example=["document.published"])
    description = string("what it is for; empty when unset", example="The website")
    enabled = boolean("whether it sends; disabled after 3 days without success or by a 410", example=True)
    disabledAt = timestamp("when the service disabled it", null=True)
    createdAt = timestamp("when it was created")
    createdBy = nested(ActorRecord, "who created it")
    updatedAt = timestamp("when it last changed")


class NewWebhookRecord(WebhookRecord):
    """A webhook with its secret, shown only in this response; a replay under an idempotency key leaves it out."""

    secret = string(
        "the key that signs, `whsec_…`: store it now, it is not shown again; null in a dry run",
        null=True,
        required=False,
        example="whsec_c2hvd24gdGhpcyBvbmNl",
    )


class AttemptRecord(Record):
    """One attempt to deliver."""

    at = timestamp("when it began")
    statusCode = integer("what the receiver answered; null when it did not", null=True, example=503)
    error = string("why it failed; null when it did not", null=True, example="The response had status 503.")
    durationMs = integer("how long it took, in milliseconds", example=38)


class DeliveryRecord(Record):
    """A message to a webhook, sent or waiting."""

    id = record_id("the delivery's id")
    eventId = record_id("the event's id, sent as `webhook-id`")
    type = string("the event's type", one_of=(*EVENT_TYPES, TEST), example="document.published")
    status = string("`pending` until it was delivered or given up", one_of=DeliveryStatus)
    attempts = nested_list(AttemptRecord, "every attempt, the first one first; at most the last 50")
    nextAttemptAt = timestamp(
        "when it is tried next; null unless pending", null=True, example="2027-01-31T09:00:05.000Z"
    )
    createdAt = timestamp("when it was queued")


class ShownWebhook(TypedDict):
    """A webhook as callers see it."""

    id: str
    url: str
    events: list[str]
    description: str
    enabled: bool
    disabledAt: str | None
    createdAt: str
    createdBy: Actor
    updatedAt: str


class ShownNewWebhook(ShownWebhook):
    """A webhook as callers see it with a new secret."""

    secret: str


class ShownAttempt(TypedDict):
    """One attempt to deliver, as callers see it."""

    at: str
    statusCode: int | None
    error: str | None
    durationMs: int


class ShownDelivery(TypedDict):
    """A message to a webhook as callers see it."""

    id: str
    eventId: str
    type: str
    status: str
    attempts: list[ShownAttempt]
    nextAttemptAt: str | None
    createdAt: str


def webhook_record(webhook: StoredWebhook) -> ShownWebhook:
    """Returns a stored webhook as callers see it."""
    return {
        "id": webhook["id"],
        "url": webhook["url"],
        "events": webhook["events"],
        "description": webhook["description"],
        "enabled": webhook["enabled"],
        "disabledAt": wire_time_or_none(webhook["disabledAt"]),
        "createdAt": wire_time(webhook["createdAt"]),
        "createdBy": webhook["createdBy"],
        "updatedAt": wire_time(webhook["updatedAt"]),
    }


def delivery_record(delivery: StoredDelivery) -> ShownDelivery:
    """Returns a stored delivery as callers see it."""
    return {
        "id": delivery["id"],
        "eventId": delivery["eventId"],
        "type": delivery["type"],
        "status": delivery["status"],
        "attempts": [{**attempt, "at": wire_time(attempt["at"])} for attempt in delivery["attempts"]],
        "nextAttemptAt": wire_time_or_none(delivery["nextAttemptAt"]),
        "createdAt": wire_time(delivery["createdAt"]),
    }
