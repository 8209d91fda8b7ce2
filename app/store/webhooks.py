"""Webhooks: where events are sent. Only `to_sign` reads their secrets."""

from collections.abc import Mapping, Sequence
from typing import Any

from bson import ObjectId

from app.rules.events import Event
from app.rules.webhooks import StoredWebhook, WebhookSecret
from app.store.collection import Bson, EntityTags, Recorded, etag_filter
from app.store.indexes import WEBHOOKS_BY_ID

SHOWN = {"outbox": 0, "secrets": 0}


class Webhooks(Recorded[StoredWebhook]):
    """The webhooks of a project. The record of a deleted one is removed when its last event is relayed."""

    name = "webhooks"
    event_data = (("webhookId", "_id", None),)

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> StoredWebhook:
        """Adds a webhook."""
        return super().add(project_id, {**record, "deletedAt": None}, event)

    def get(self, project_id: str, record_id: str) -> StoredWebhook | None:
        """Returns a webhook without its secrets, or None."""
        return self._find_one(project_id, {"_id": ObjectId(record_id), "deletedAt": None}, SHOWN)

    def all(self, project_id: str) -> list[StoredWebhook]:
        """Returns all of a project's webhooks, oldest first, without their secrets."""
        return self._find(project_id, {"deletedAt": None}, sort=(("_id", 1),), fields=SHOWN, index=WEBHOOKS_BY_ID)

    def listening(self, project_id: str) -> list[StoredWebhook]:
        """Returns the webhooks that are enabled, with what decides which events they are sent."""
        fields = {"events": 1, "createdAt": 1}
        return self._find(project_id, {"enabled": True, "deletedAt": None}, fields=fields)

    def to_sign(self, project_id: str, webhook_id: str) -> StoredWebhook | None:
        """Returns what is needed to send to a webhook: its URL and secrets, and whether it is enabled."""
        fields = {"url": 1, "secrets": 1, "enabled": 1}
        return self._find_one(project_id, {"_id": ObjectId(webhook_id), "deletedAt": None}, fields)

    def write(
        self, project_id: str, webhook_id: str, changes: Mapping[str, Any], event: Event, tags: EntityTags
    ) -> StoredWebhook | None:
        """Changes a webhook; None where nothing would change, or it is not in the state that `tags` name."""
        differs = [{name: {"$ne": value}} for name, value in changes.items()]
        condition: Bson = {"_id": ObjectId(webhook_id), "deletedAt": None, "$or": differs}
        changes = {**changes, "updatedAt": event.at}
        return self._change(project_id, condition | etag_filter(tags), event=event, changes=changes)

    def rotate(
        self,
        project_id: str,
        webhook_id: str,
        before: Sequence[WebhookSecret],
        after: Sequence[WebhookSecret],
        event: Event,
        tags: EntityTags,
    ) -> StoredWebhook | None:
        """Writes the secrets of a webhook; None where they are not those that were read any more."""
        condition: Bson = {"_id": ObjectId(webhook_id), "deletedAt": None, "secrets": list(before)} | etag_filter(tags)
        changes = {"secrets": list(after), "updatedAt": event.at}
        return self._change(project_id, condition, event=event, changes=changes)

    def delete(self, project_id: str, webhook_id: str, event: Event, tags: EntityTags) -> StoredWebhook | None:
        """Marks a webhook as deleted and removes its secrets."""
        condition: Bson = {"_id": ObjectId(webhook_id), "deletedAt": None} | etag_filter(tags)
        return self._change(project_id, condition, event=event, changes={"deletedAt": event.at, "secrets": []})

    def disable(self, project_id: str, webhook_id: str, event: Event) -> StoredWebhook | None:
        """Disables a webhook; None where it is not enabled."""
        condition: Bson = {"_id": ObjectId(webhook_id), "deletedAt": None, "enabled": True}
        return self._change(
            project_id,
            condition,
            event=event,
            changes={"enabled": False, "disabledAt": event.at, "updatedAt": event.at},
        )
