"""Webhooks: where events are sent; their secrets are read by who signs, and by nobody else."""

from collections.abc import Mapping, Sequence
from typing import Any

from bson import ObjectId

from app.rules.events import Event
from app.store.collection import EntityTags, Record, Recorded, etag_filter
from app.store.indexes import WEBHOOKS_BY_ID

SHOWN = {"outbox": 0, "secrets": 0}


class Webhooks(Recorded):
    """The webhooks of a project; a deleted one is gone when its last event is relayed."""

    name = "webhooks"
    event_data = (("webhookId", "_id", None),)

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> Record:
        """Adds a webhook."""
        return super().add(project_id, {**record, "deletedAt": None}, event)

    def get(self, project_id: str, record_id: str) -> Record | None:
        """Returns a webhook without its secrets, or None."""
        return self._find_one(project_id, {"_id": ObjectId(record_id), "deletedAt": None}, SHOWN)

    def all(self, project_id: str) -> list[Record]:
        """Returns all of a project's webhooks, the oldest first, without their secrets."""
        return self._find(project_id, {"deletedAt": None}, sort=(("_id", 1),), fields=SHOWN, index=WEBHOOKS_BY_ID)

    def listening(self, project_id: str) -> list[Record]:
        """Returns what decides which events go to the webhooks that are enabled."""
        fields = {"events": 1, "createdAt": 1}
        return self._find(project_id, {"enabled": True, "deletedAt": None}, fields=fields)

    def to_sign(self, project_id: str, webhook_id: str) -> Record | None:
        """Returns what sending to a webhook takes: its URL and its secrets."""
        fields = {"url": 1, "secrets": 1, "enabled": 1}
        return self._find_one(project_id, {"_id": ObjectId(webhook_id), "deletedAt": None}, fields)

    def write(
        self, project_id: str, webhook_id: str, changes: Mapping[str, Any], event: Event, tags: EntityTags
    ) -> Record | None:
        """Changes a webhook if that changes something."""
        differs = [{name: {"$ne": value}} for name, value in changes.items()]
        condition: Record = {"_id": ObjectId(webhook_id), "deletedAt": None, "$or": differs}
        changes = {**changes, "updatedAt": event.at}
        return self._change(project_id, condition | etag_filter(tags), event=event, changes=changes)

    def rotate(
        self,
        project_id: str,
        webhook_id: str,
        before: Sequence[Record],
        after: Sequence[Record],
        event: Event,
        tags: EntityTags,
    ) -> Record | None:
        """Writes a webhook's secrets if they are still those that were read."""
        condition: Record = {"_id": ObjectId(webhook_id), "deletedAt": None, "secrets": list(before)} | etag_filter(
            tags
        )
        changes = {"secrets": list(after), "updatedAt": event.at}
        return self._change(project_id, condition, event=event, changes=changes)

    def delete(self, project_id: str, webhook_id: str, event: Event, tags: EntityTags) -> Record | None:
        """Deletes a webhook, its secrets at once."""
        condition: Record = {"_id": ObjectId(webhook_id), "deletedAt": None} | etag_filter(tags)
        return self._change(project_id, condition, event=event, changes={"deletedAt": event.at, "secrets": []})

    def disable(self, project_id: str, webhook_id: str, event: Event) -> Record | None:
        """Disables a webhook that is enabled; None when it is not, any more."""
        condition: Record = {"_id": ObjectId(webhook_id), "deletedAt": None, "enabled": True}
        return self._change(
            project_id,
            condition,
            event=event,
            changes={"enabled": False, "disabledAt": event.at, "updatedAt": event.at},
        )
