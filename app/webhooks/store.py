"""Webhooks: where events are sent. Only `get_with_secrets` reads their secrets."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.core.events import Event
from app.core.store.collection import OutboxCollection, object_id, object_ids
from app.core.store.indexes import FIRST_ID, NOT_DELETED
from app.outbound.leases import LeaseQueue, StoredLease
from app.webhooks.rules import StoredWebhook


class Webhooks(OutboxCollection[StoredWebhook]):
    """The webhooks of a project. The record of a deleted one is removed when its last event is relayed."""

    name = "webhooks"
    event_data = (("webhookId", "id"),)
    hidden = {"outbox": 0, "secrets": 0, "headers.value": 0}

    def all(self, project_id: str) -> list[StoredWebhook]:
        """Returns all of a project's webhooks, oldest first, without their secrets."""
        return self._find(project_id, NOT_DELETED, sort=(("_id", 1),), fields=self.hidden)

    def listening(self, project_id: str) -> Sequence[StoredWebhook]:
        """Returns the webhooks that are enabled, with what decides which events they are sent."""
        return self._find(project_id, {"enabled": True, **NOT_DELETED}, fields={"events": 1, "createdAt": 1})

    def count_enabled(self, project_id: str, webhook_ids: Sequence[str]) -> int:
        """Returns how many of some webhooks are enabled."""
        return self._count(project_id, {"_id": {"$in": object_ids(webhook_ids)}, "enabled": True})

    def count_disabled(self) -> int:
        """Returns how many webhooks of all projects were disabled because they failed."""
        failed = {"enabled": False, "disabledAt": {"$ne": None}, **NOT_DELETED}
        return self._collection.count_documents({"projectId": {"$gte": FIRST_ID}, **failed})

    def get_with_secrets(self, project_id: str, webhook_id: str) -> StoredWebhook | None:
        """Returns a webhook with its secrets, to be sent to or to be rotated."""
        return self._find_one(project_id, {"_id": object_id(webhook_id), **NOT_DELETED}, {"outbox": 0})

    def delete(self, project_id: str, before: StoredWebhook, event: Event) -> StoredWebhook:
        """Marks a webhook as deleted and removes its secrets."""
        bare = {"secrets": [], "headers": [{"name": one["name"]} for one in before.get("headers") or ()]}
        return self.change(project_id, {**before, "headers": []}, {**before, "deletedAt": event.at, **bare}, [event])


class Leases(LeaseQueue[StoredLease]):
    """The leases of webhooks."""

    name = "leases"

    def failing(self, project_id: str, webhook_ids: Sequence[str]) -> Mapping[str, datetime]:
        """Returns since when those of some webhooks fail whose last message failed."""
        leases = self._by_id(project_id, webhook_ids, {"failingSince": 1}, failingSince={"$exists": True})
        return {webhook_id: lease["failingSince"] for webhook_id, lease in leases.items()}

    def failing_since(self, instant: datetime) -> Mapping[str, Sequence[str]]:
        """Returns the ids of webhooks that have failed since an instant or longer, by their project's."""
        found: dict[str, list[str]] = {}
        for one in self._collection.find({"failingSince": {"$lte": instant}}, {"projectId": 1}):
            found.setdefault(str(one["projectId"]), []).append(str(one["_id"]))
        return found
