"""Webhooks and their log as callers see them; a secret is in the answer that made it and nowhere else."""

from collections.abc import Mapping
from typing import Any

from app.records.actors import ActorRecord
from app.records.kinds import Record, flag, record_id, table, tables, text, texts, time, whole
from app.rules.times import wire_time, wire_time_or_none
from app.rules.webhooks import TEST
from app.vocabulary import EVENT_TYPES, DeliveryStatus


class WebhookRecord(Record):
    """A webhook, without its secrets."""

    id = record_id("the webhook's id")
    url = text("where it sends", format="uri", example="https://hooks.example.org/content")
    events = texts("the types of event that it sends; empty: all", one_of=EVENT_TYPES, example=["document.published"])
    description = text("what it is for; empty when unset", example="The website")
    enabled = flag("does it send? The service disables what had no success for 3 days, or answers 410")
    disabledAt = time("when the service disabled it", null=True)
    createdAt = time("when it was made")
    createdBy = table(ActorRecord, "who made it")
    updatedAt = time("when it last changed")


class NewWebhookRecord(WebhookRecord):
    """A webhook with its secret, shown this once; a replay under an idempotency key leaves it out."""

    secret = text(
        "the key that signs, `whsec_…`: store it now, it is not shown again",
        required=False,
        example="whsec_c2hvd24gdGhpcyBvbmNl",
    )


class AttemptRecord(Record):
    """One attempt to deliver."""

    at = time("when it began")
    statusCode = whole("what the receiver answered; null when it did not", null=True, example=503)
    error = text("why it failed; null when it did not", null=True, example="the answer was 503")
    durationMs = whole("how long it took, in milliseconds", example=38)


class DeliveryRecord(Record):
    """What was sent to a webhook, or is about to be."""

    id = record_id("the delivery's id")
    eventId = record_id("the event's id, sent as `webhook-id`")
    type = text("the event's type", one_of=(*EVENT_TYPES, TEST))
    status = text("`pending` until it arrived or was given up", one_of=DeliveryStatus)
    attempts = tables(AttemptRecord, "every attempt, the first one first; at most the last 50")
    nextAttemptAt = time("when it is tried next; null unless pending", null=True)
    createdAt = time("when it was queued")


def webhook_record(webhook: Mapping[str, Any]) -> dict[str, Any]:
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


def delivery_record(delivery: Mapping[str, Any]) -> dict[str, Any]:
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
