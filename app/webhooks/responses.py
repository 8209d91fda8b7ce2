"""Webhooks and their log as callers see them; a secret is in the response that creates it and nowhere else."""

from datetime import datetime
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import EXAMPLE_ID, Id, Timestamp, doc, one_of, shown_once
from app.core.records import record_of
from app.core.times import plain
from app.webhooks.rules import DELIVERY_CHANGED, TEST, WHAT, StoredDelivery, StoredWebhook
from app.webhooks.schemas import HIDDEN, DeliveryStatus


class Webhook(TypedDict):
    """A webhook, without its secrets."""

    id: Annotated[Id, doc("the webhook's id")]
    url: Annotated[
        str, doc("where events are sent", "https://hooks.example.org/content", json_schema_extra={"format": "uri"})
    ]
    events: Annotated[
        list[str],
        doc(f"the types of event that are sent; empty: all but `{DELIVERY_CHANGED}`", ["document.published"]),
    ]
    description: Annotated[str, doc("what it is for; empty when unset", "The website")]
    headers: Annotated[
        dict[str, str],
        doc(f"headers that are sent along; their values are secret: `{HIDDEN}`", {"Authorization": HIDDEN}),
    ]
    enabled: Annotated[bool, doc("whether it sends; disabled after 3 days without success or by a 410", True)]
    disabledAt: Annotated[Timestamp | None, doc("when the service disabled it")]
    disabledBecause: Annotated[str | None, doc("why it did; null when it did not", "The response had status 410.")]
    failingSince: Annotated[
        Timestamp | None, doc("when the first of its failures in a row began; null if the last message arrived")
    ]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    createdBy: Annotated[Actor, doc("who created it")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]


class NewWebhook(Webhook):
    """A webhook with its secret, shown only in this response; a replay under an idempotency key leaves it out."""

    secret: NotRequired[
        Annotated[
            str,
            shown_once(
                "the key that signs, `whsec_…`: store it now, it is not shown again", "whsec_c2hvd24gdGhpcyBvbmNl"
            ),
        ]
    ]


class Attempt(TypedDict):
    """One attempt to deliver a message."""

    at: Annotated[Timestamp, doc("when it began")]
    statusCode: Annotated[int | None, doc("what the receiver answered; null when it did not", 503)]
    error: Annotated[str | None, doc("why it failed; null when it did not", "The response had status 503.")]
    durationMs: Annotated[int, doc("how long it took, in milliseconds", 38)]


class Delivery(TypedDict):
    """A message to a webhook, sent or waiting."""

    id: Annotated[Id, doc("the delivery's id")]
    eventId: Annotated[Id, doc("the event's id, sent as `webhook-id`")]
    type: Annotated[str, doc(f"the event's type, or `{TEST}`", "document.published")]
    status: Annotated[str, one_of(DeliveryStatus), doc("`pending` until it was delivered or given up")]
    attempts: Annotated[list[Attempt], doc("every attempt, the first one first; at most the last 50")]
    nextAttemptAt: Annotated[
        Timestamp | None, doc("when it is tried next; null unless pending", "2027-01-31T09:00:05.000Z")
    ]
    createdAt: Annotated[Timestamp, doc("when it was queued")]


class WebhookMessageData(TypedDict):
    """The event's `data`, with the event's id and number and who did it."""

    id: Annotated[Id, doc("the event's id, sent as `webhook-id`")]
    sequence: Annotated[int | None, doc("its number in the project's feed; null where it is not in it", 42)]
    by: Annotated[Actor, doc("who did it")]


class WebhookMessage(TypedDict):
    """An event: signed as Standard Webhooks specifies."""

    type: Annotated[str, doc(f"an `EventType` or `{TEST}`; further types may come", "document.published")]
    timestamp: Annotated[Timestamp, doc("when")]
    data: Annotated[WebhookMessageData, doc("to what: the keys of the event's `data` too")]


class DeliveryChangedData(WebhookMessageData):
    """What changed of what is delivered."""

    revision: Annotated[int, doc("how often what is delivered has changed", 7)]
    documentIds: Annotated[list[Id], doc("the documents, at most 100", [EXAMPLE_ID])]
    slugs: Annotated[list[str], doc("their slugs, former ones too, at most 100", ["flour"])]
    what: Annotated[list[str], doc(f"some of {', '.join(sorted({*WHAT.values(), 'renamed'}))}", ["published"])]


class DeliveryChanged(TypedDict):
    """What a site shows has changed: sent once for a batch of events."""

    type: Annotated[Literal["delivery.changed"], doc("the type")]
    timestamp: Annotated[Timestamp, doc("when")]
    data: Annotated[DeliveryChangedData, doc("what changed")]


def webhook_record(webhook: StoredWebhook, failing_since: datetime | None) -> Webhook:
    """Returns a stored webhook as callers see it."""
    headers = {one["name"]: HIDDEN for one in webhook.get("headers") or ()}
    because = webhook.get("disabledBecause")
    return record_of(Webhook, webhook, headers=headers, failingSince=failing_since, disabledBecause=because)


def delivery_record(delivery: StoredDelivery) -> Delivery:
    """Returns a stored delivery as callers see it."""
    return record_of(Delivery, delivery, attempts=[plain(attempt) for attempt in delivery["attempts"]])
