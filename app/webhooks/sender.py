"""Sends what is due to one webhook, in order; `app/outbound/dispatcher.py` says which worker serves which, and when."""

import logging
import random
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from prometheus_client import Counter
from standardwebhooks import Webhook

from app.core.actors import SYSTEM
from app.core.context import this_instant
from app.core.errors import WriteConflict
from app.core.events import Event
from app.core.store.request_time import standing_still
from app.core.store.store import Store
from app.outbound.leases import StoredLease
from app.outbound.message_client import (
    ATTEMPT_SECONDS,
    GIVE_UP_AFTER,
    HEADERS,
    MessageClient,
    Outcome,
    next_attempt,
    rest_after,
)
from app.webhooks.attempt_store import Deliveries
from app.webhooks.rules import Attempt, DeliveryState, StoredDelivery, StoredWebhook, valid_secrets
from app.webhooks.schemas import DeliveryStatus
from app.webhooks.store import Leases, Webhooks

log = logging.getLogger("content_workflow.worker")

MESSAGES_PER_TURN = 50
TIME_FOR_AN_ATTEMPT = timedelta(seconds=ATTEMPT_SECONDS + 5)
"""An attempt begins only when this much of the lease is left: the longest attempt, and some time to record it."""
LEASE = timedelta(seconds=40)
"""How long a worker holds the lease of a webhook; when a worker is killed, the others wait that long."""
GONE = 410
DELIVERIES = Counter("content_workflow_webhook_attempts", "Requests sent to webhooks.", ["outcome"])
for result in ("succeeded", "failed"):  # from 0 on, so that `rate` sees the first one
    DELIVERIES.labels(result)


@dataclass(eq=False)
class WebhookSender:
    """Sends what is due to one leased webhook in each call; the threads of a worker share it.

    `clock` returns now, `chance` a random number from 0 to 1.
    """

    store: Store
    client: MessageClient
    clock: Callable[[], datetime] = this_instant
    chance: Callable[[], float] = random.random
    stopping: threading.Event = field(default_factory=threading.Event, init=False)
    """Once it is set, each turn ends after its present attempt."""
    lease_times: Mapping[bool, timedelta] = field(default_factory=lambda: {False: LEASE, True: LEASE}, init=False)

    @property
    def leases(self) -> Leases:
        return self.store[Leases]

    def send_due(self, lease: StoredLease) -> int:
        """Sends what is due to a leased webhook until an attempt fails or the turn is over.

        Returns the number of messages that arrived. The webhook is read again before each message: disabling,
        deleting or changing it takes effect immediately.
        """
        project_id, webhook_id, slow, arrived = lease["projectId"], lease["id"], lease["slow"], 0
        rests_until: datetime | None = None
        with self.store.deadline():
            due = self.store[Deliveries].due(project_id, webhook_id, self.clock(), MESSAGES_PER_TURN)
        for delivery in due:
            with self.store.deadline():
                webhook = self.store[Webhooks].get_with_secrets(project_id, webhook_id)
                if webhook is None:
                    break
                if not (webhook["enabled"] or self.store[Deliveries].is_requested(project_id, delivery)):
                    continue
                at = self.clock()
                if self.stopping.is_set() or lease["leasedUntil"] - at < TIME_FOR_AN_ATTEMPT:
                    break
                with standing_still():
                    outcome = self._attempt(webhook, delivery, at)
                slow = outcome.was_slow
                self._record(project_id, webhook, delivery, outcome, at)
                if not outcome.succeeded:
                    rests_until = self._failed(project_id, webhook, outcome, at)
                    break
                if not arrived:
                    self.store[Leases].record_success(project_id, webhook_id)
            arrived += 1
        with self.store.deadline():
            self._end_turn(lease, slow=slow, rests_until=rests_until)
        return arrived

    def _attempt(self, webhook: StoredWebhook, delivery: StoredDelivery, at: datetime) -> Outcome:
        body = delivery["payload"]
        signatures = [
            Webhook(secret["secret"]).sign(delivery["eventId"], at, body)
            for secret in valid_secrets(webhook["secrets"], at)
        ]
        own = {one["name"]: one["value"] for one in webhook.get("headers") or ()}
        chosen = {name.lower() for name in own}
        headers = {
            **{name: value for name, value in HEADERS.items() if name.lower() not in chosen},
            **own,
            "webhook-id": delivery["eventId"],
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(signatures),
        }
        return self.client.send(webhook["url"], headers, body.encode())

    def _record(
        self, project_id: str, webhook: StoredWebhook, delivery: StoredDelivery, outcome: Outcome, at: datetime
    ) -> None:
        """Writes an attempt to the log of deliveries, with when the next one is due."""
        attempt = Attempt(
            at=at, statusCode=outcome.status_code, error=outcome.error, durationMs=round(outcome.seconds * 1_000)
        )
        since, failures, again = delivery["since"] or at, delivery["failures"], None
        if outcome.succeeded:
            status = DeliveryStatus.SUCCEEDED
        else:
            failures += 1
            again = next_attempt(failures, since, self.clock(), self.chance()) if webhook["enabled"] else None
            status = DeliveryStatus.PENDING if again else DeliveryStatus.FAILED
        state = DeliveryState(status=status, failures=failures, since=since, nextAttemptAt=again)
        if not self.store[Deliveries].record_attempt(project_id, delivery, attempt, state):
            status = DeliveryStatus.PENDING
        DELIVERIES.labels("succeeded" if outcome.succeeded else "failed").inc()
        details = {key: value for key, value in attempt.items() if key != "at"}
        ids = {"webhookId": webhook["id"], "deliveryId": delivery["id"], "eventId": delivery["eventId"]}
        log.info("webhook attempted", extra={"projectId": project_id, **ids, "status": status, **details})

    def _failed(self, project_id: str, webhook: StoredWebhook, outcome: Outcome, at: datetime) -> datetime:
        """Disables a webhook that has failed for too long; returns until when nothing is sent to it."""
        now = self.clock()
        failing_since, failures = self.store[Leases].record_failure(project_id, webhook["id"], at)
        if outcome.status_code == GONE or now - failing_since >= GIVE_UP_AFTER:
            with suppress(WriteConflict):  # somebody enabled it again meanwhile: the next attempt decides
                self._disable(project_id, webhook["id"], now, outcome)
        return now + rest_after(failures)

    def _disable(self, project_id: str, webhook_id: str, now: datetime, last: Outcome) -> None:
        webhook = self.store[Webhooks].get(project_id, webhook_id)
        if webhook is not None and webhook["enabled"]:
            changes = {"enabled": False, "disabledAt": now, "disabledBecause": last.error}
            event = Event("webhook.disabled", now, SYSTEM, {"reason": last.error})
            self.store[Webhooks].update(project_id, webhook, changes, event)
            given_up = self.store[Deliveries].give_up(project_id, webhook_id, keep_requested=True)
            details = {"projectId": project_id, "webhookId": webhook_id, "reason": last.error, "givenUp": given_up}
            log.warning("webhook disabled", extra=details)

    def _end_turn(self, lease: StoredLease, *, slow: bool, rests_until: datetime | None) -> None:
        """Gives up what may not be sent, and gives back the lease with the time at which the webhook is due next."""
        project_id, webhook_id = lease["projectId"], lease["id"]
        webhook = self.store[Webhooks].get_with_secrets(project_id, webhook_id)
        if webhook is None or not webhook["enabled"]:
            self.store[Deliveries].give_up(project_id, webhook_id, keep_requested=webhook is not None)
        if webhook is None:
            self.store[Leases].delete(project_id, webhook_id)
            return
        due = self.store[Deliveries].next_due(project_id, webhook_id)
        self.store[Leases].give_back(lease, due, self.clock(), slow=slow, rests_until=rests_until)
