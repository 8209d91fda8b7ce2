"""Webhooks and their log as callers see them; a secret is in the response that creates it and nowhere else."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import Id, Timestamp, doc, one_of, shown_once
from app.core.records import record_of
from app.core.times import plain
from app.webhooks.rules import DELIVERY_CHANGED, TEST, StoredDelivery, StoredWebhook
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


def webhook_record(webhook: StoredWebhook) -> Webhook:
    """Returns a stored webhook as callers see it."""
    headers = {one["name"]: HIDDEN for one in webhook.get("headers") or ()}
    return record_of(Webhook, webhook, headers=headers)


def delivery_record(delivery: StoredDelivery) -> Delivery:
    """Returns a stored delivery as callers see it."""
    return record_of(Delivery, delivery, attempts=[plain(attempt) for attempt in delivery["attempts"]])
