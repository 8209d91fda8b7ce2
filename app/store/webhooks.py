"""Webhooks: where events are sent. Only `get_target` reads their secrets."""

from collections.abc import Sequence

from app.rules.events import Event
from app.rules.webhooks import ListeningWebhook, StoredWebhook, WebhookSecret, WebhookTarget
from app.store.collection import EntityTags, OutboxCollection
from app.store.indexes import NOT_DELETED


class Webhooks(OutboxCollection[StoredWebhook]):
    """The webhooks of a project. The record of a deleted one is removed when its last event is relayed."""

    name = "webhooks"
    event_data = (("webhookId", "_id", None),)
    hidden = {"outbox": 0, "secrets": 0}

    def all(self, project_id: str) -> list[StoredWebhook]:
        """Returns all of a project's webhooks, oldest first, without their secrets."""
        return self._find(project_id, NOT_DELETED, sort=(("_id", 1),), fields=self.hidden)

    def listening(self, project_id: str) -> Sequence[ListeningWebhook]:
        """Returns the webhooks that are enabled, with what decides which events they are sent."""
        return self._find(project_id, {"enabled": True, **NOT_DELETED}, fields={"events": 1, "createdAt": 1})

    def get_target(self, project_id: str, webhook_id: str) -> WebhookTarget | None:
        """Returns what is needed to send to a webhook: its URL and secrets, and whether it is enabled."""
        return self._find_one(project_id, self._id_filter(webhook_id), {"url": 1, "secrets": 1, "enabled": 1})

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
        condition = self._id_filter(webhook_id, tags) | {"secrets": list(before)}
        changes = {"secrets": list(after), "updatedAt": event.at}
        return self._change(project_id, condition, event=event, changes=changes)

    def delete(self, project_id: str, record_id: str, event: Event, tags: EntityTags) -> StoredWebhook | None:
        """Marks a webhook as deleted and removes its secrets."""
        changes = {"deletedAt": event.at, "secrets": []}
        return self._change(project_id, self._id_filter(record_id, tags), event=event, changes=changes)

    def disable(self, project_id: str, webhook_id: str, event: Event) -> StoredWebhook | None:
        """Disables a webhook; None where it is not enabled."""
        condition = self._id_filter(webhook_id) | {"enabled": True}
        changes = {"enabled": False, "disabledAt": event.at, "updatedAt": event.at}
        return self._change(project_id, condition, event=event, changes=changes)
