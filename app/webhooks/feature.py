"""The feature `webhooks`: its storage."""

from app.core.features import Feature, by_class_name
from app.core.store.indexes import Storage, index, key_index, types
from app.core.times import DAY_SECONDS
from app.webhooks.responses import DeliveryChanged, WebhookMessage
from app.webhooks.rules import DELIVERY_CHANGED
from app.webhooks.schemas import DeliveryStatus

FEATURE = Feature(
    "webhooks",
    storage=Storage(
        indexes=(
            index("webhooks", "projectId _id", "a project's webhooks, and where an event goes"),
            index("deliveries", "projectId webhookId eventId", "each webhook gets an event once", unique=True),
            index("deliveries", "projectId webhookId -_id", "the log of a webhook"),
            index("deliveries", "projectId webhookId nextAttemptAt sequence", "what is due", {"status": "pending"}),
            index("deliveries", "createdAt", "the log goes back 30 days", expireAfterSeconds=30 * DAY_SECONDS),
            index("leases", "slow dueAt", "the webhook that has waited longest"),
            key_index("leases"),
        ),
        shard_keys={"webhooks": "projectId _id", "deliveries": "projectId", "leases": "projectId _id"},
        outboxes=("webhooks",),
        tombstones=("webhooks",),
        events=types("webhook", "created updated deleted disabled"),
        messages=(DELIVERY_CHANGED,),
    ),
    closed_lists=by_class_name(DeliveryStatus),
    webhooks={"event": WebhookMessage, DELIVERY_CHANGED: DeliveryChanged},
)
