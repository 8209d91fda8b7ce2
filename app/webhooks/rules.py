"""Webhooks: their messages, the addresses they may reach, and the events they are sent (decisions, section 9)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NotRequired, TypedDict

from app.core.actors import Actor
from app.core.events import StoredEvent
from app.core.records import Stored
from app.core.times import plain, wire_time

WEBHOOKS_PER_PROJECT = 20


ROTATED_LIFE = timedelta(days=1)
"""How long messages are signed with the previous secret after a rotation."""


MAX_SECRETS = 10
"""Maximum secrets that a message is signed with: each signature takes 48 bytes of a header that receivers limit."""


TEST = "webhook.test"
"""The type of the message of a test, which is not an event in the feed."""


DELIVERY_CHANGED = "delivery.changed"
"""The type of the message about what is delivered, which is not an event in the feed."""

MOST_NAMED = 100
"""Maximum number of ids, and of slugs, in such a message."""

WHAT = {
    "document.published": "published",
    "document.restored": "published",
    "document.unpublished": "unpublished",
    "document.deleted": "unpublished",
    "document.updated": "author",
    "category": "category",
    "member": "author",
    "project": "settings",
}
"""The word of `what`, by the type of an event, or by its record."""


class WebhookSecret(TypedDict):
    """A key that messages are signed with, and until when; None for the newest one."""

    secret: str
    until: datetime | None


class StoredHeader(TypedDict):
    """A header that messages are sent with; only `Webhooks.get_with_secrets` reads its value."""

    name: str
    value: NotRequired[str]


class StoredWebhook(Stored):
    """A webhook as the store returns it; only `Webhooks.get_with_secrets` reads its secrets."""

    url: str
    events: list[str]
    description: str
    enabled: bool
    disabledAt: datetime | None
    disabledBecause: NotRequired[str | None]
    secrets: NotRequired[list[WebhookSecret]]
    headers: NotRequired[list[StoredHeader]]
    createdBy: Actor
    updatedAt: datetime
    deletedAt: datetime | None


class Attempt(TypedDict):
    """One attempt to send a message."""

    at: datetime
    statusCode: int | None
    error: str | None
    durationMs: int


class DeliveryState(TypedDict):
    """How far a delivery is: what follows from an attempt."""

    status: str
    failures: int
    """How many attempts failed since it was queued, or queued again."""
    since: datetime | None
    """When the first attempt began since then."""
    nextAttemptAt: datetime | None
    """When it is tried next; None for never."""


class StoredDelivery(DeliveryState):
    """A message to a webhook, with how far it is, as the store returns it; the log leaves out the message itself."""

    id: str
    projectId: str
    webhookId: str
    eventId: str
    sequence: int | None
    type: str
    payload: NotRequired[str]
    requested: NotRequired[bool]
    """Set for a test and a redelivery, which are sent also while the webhook is disabled."""
    attempts: list[Attempt]
    createdAt: datetime


def wants(webhook: StoredWebhook, event: StoredEvent) -> bool:
    """Returns whether an event is sent to a webhook: it has a chosen type, and is not older than the webhook.

    A message about what is delivered is sent only where it is chosen.
    """
    kind, chosen = event["type"], webhook["events"]
    return event["at"] >= webhook["createdAt"] and (kind in chosen if chosen else kind != DELIVERY_CHANGED)


def what_changed(events: Sequence[StoredEvent]) -> list[str]:
    """Returns what changed with events: some of the values of `WHAT`, and `renamed`."""
    kinds = {WHAT.get(one["type"]) or WHAT.get(one["type"].partition(".")[0], "published") for one in events}
    live = ("document.published", "document.restored")
    renamed = any(one["type"] in live and "previousSlug" in one["data"] for one in events)
    return sorted(kinds | ({"renamed"} if renamed else set()))


def message(event: StoredEvent) -> dict[str, Any]:
    """Returns the message of an event."""
    details = {"id": event["id"], "sequence": event.get("sequence"), "by": event["by"]}
    return {"type": event["type"], "timestamp": wire_time(event["at"]), "data": {**details, **plain(event["data"])}}


def rotated(secrets: list[WebhookSecret], secret: str, now: datetime) -> list[WebhookSecret]:
    """Returns a webhook's secrets with a new one; the newest older ones that are still valid end within a day."""
    end = now + ROTATED_LIFE
    valid = valid_secrets(secrets, now)
    older = [WebhookSecret(secret=old["secret"], until=min(old["until"] or end, end)) for old in valid]
    return valid_secrets([WebhookSecret(secret=secret, until=None), *older], now)


def valid_secrets(secrets: list[WebhookSecret], now: datetime) -> list[WebhookSecret]:
    """Returns the secrets of a webhook that messages are signed with now, the newest first."""
    return [secret for secret in secrets if secret["until"] is None or secret["until"] > now][:MAX_SECRETS]
