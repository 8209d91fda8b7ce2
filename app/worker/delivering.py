"""Sends what is queued for webhooks: each webhook served by one worker at a time, none waiting for another's receiver.

A webhook that was slow or failed last time is served by threads of its own, so that those whose receivers answer
never wait behind those whose receivers do not.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

from standardwebhooks import Webhook

from app.http.metrics import DELIVERIES
from app.operations.context import this_instant
from app.rules.actors import SYSTEM
from app.rules.backoff import is_dead, next_attempt, rest
from app.rules.events import Event
from app.rules.webhooks import valid
from app.store.store import Store
from app.vocabulary import DeliveryStatus
from app.worker.sending import Outcome, Sender

log = logging.getLogger("content_workflow.worker")

LEASE = timedelta(seconds=90)
"""Longer than `TURN` and one more attempt with a slow look-up of its name."""
TURN = timedelta(seconds=20)
AT_ONCE = 50
THREADS = 16
SLOW_SECONDS = 1.0
GONE = 410

Row = dict[str, Any]


class Courier:
    """Serves one webhook: sends what is due, in order, and writes down how it went."""

    def __init__(
        self,
        store: Store,
        sender: Sender,
        clock: Callable[[], datetime] = this_instant,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._sender = sender
        self._clock = clock
        self._chance = chance

    def serve(self, lease: Row) -> int:
        """Sends what is due to a leased webhook until it fails or its turn is over; returns how many arrived."""
        project_id, webhook_id = lease["projectId"], lease["id"]
        webhook = self._store.webhooks.to_sign(project_id, webhook_id)
        if webhook is None:
            self._store.leases.drop(webhook_id)
            return 0
        began, arrived, slow, rested = self._clock(), 0, lease["slow"], None
        for delivery in self._store.deliveries.due(project_id, webhook_id, began, AT_ONCE):
            at = self._clock()
            if at - began > TURN:
                break
            outcome = self._attempt(project_id, webhook, delivery, at)
            slow = not outcome.succeeded or outcome.seconds > SLOW_SECONDS
            if not outcome.succeeded:
                rested = self._failed(project_id, webhook, outcome, at)
                break
            arrived += 1
        if arrived and rested is None:
            self._store.leases.succeeded(webhook_id)
        due = self._store.deliveries.next_due(project_id, webhook_id)
        self._store.leases.give_back(lease, max(due, rested) if due and rested else due, slow=slow)
        return arrived

    def _attempt(self, project_id: str, webhook: Row, delivery: Row, at: datetime) -> Outcome:
        headers = self._headers(webhook, delivery, at)
        outcome = self._sender.send(webhook["url"], headers, delivery["payload"].encode())
        attempt = {
            "at": at,
            "statusCode": outcome.status_code,
            "error": outcome.error,
            "durationMs": round(outcome.seconds * 1_000),
        }
        changes = self._verdict(webhook, delivery, outcome, delivery["since"] or at)
        self._store.deliveries.attempted(project_id, delivery["id"], attempt, changes)
        DELIVERIES.labels("succeeded" if outcome.succeeded else "failed").inc()
        log.info(
            "webhook attempted",
            extra={
                "projectId": project_id,
                "webhookId": webhook["id"],
                "deliveryId": delivery["id"],
                "eventId": delivery["eventId"],
                "status": changes["status"],
                "statusCode": outcome.status_code,
                "error": outcome.error,
                "durationMs": attempt["durationMs"],
            },
        )
        return outcome

    def _headers(self, webhook: Row, delivery: Row, at: datetime) -> dict[str, str]:
        signatures = [
            Webhook(one["secret"]).sign(delivery["eventId"], at, delivery["payload"])
            for one in valid(webhook["secrets"], at)
        ]
        return {
            "Content-Type": "application/json",
            "User-Agent": "content-workflow",
            "webhook-id": delivery["eventId"],
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(signatures),
        }

    def _verdict(self, webhook: Row, delivery: Row, outcome: Outcome, since: datetime) -> Row:
        """Returns what an attempt makes of its delivery, which was first tried at `since`."""
        if outcome.succeeded:
            return {"status": DeliveryStatus.SUCCEEDED, "nextAttemptAt": None, "since": since}
        failures = delivery["failures"] + 1
        again = next_attempt(failures, since, self._clock(), self._chance()) if webhook["enabled"] else None
        status = DeliveryStatus.PENDING if again else DeliveryStatus.FAILED
        return {"status": status, "nextAttemptAt": again, "failures": failures, "since": since}

    def _failed(self, project_id: str, webhook: Row, outcome: Outcome, at: datetime) -> datetime:
        """Disables a webhook that is dead; returns until when nothing is sent to it."""
        now = self._clock()
        health = self._store.leases.failed(webhook["id"], at)
        if outcome.status_code == GONE or is_dead(health["failingSince"], now):
            event = Event("webhook.disabled", now, SYSTEM)
            if self._store.webhooks.disable(project_id, webhook["id"], event):
                given_up = self._store.deliveries.give_up(project_id, webhook["id"])
                details = {"projectId": project_id, "webhookId": webhook["id"], "givenUp": given_up}
                log.warning("webhook disabled", extra=details)
        return now + rest(health["failures"])


class Couriers:
    """Two bounded pools of threads that serve webhooks: one for those that answer, one for those that do not."""

    def __init__(self, store: Store, courier: Courier, threads: int = THREADS) -> None:
        self._store = store
        self._courier = courier
        self._pools = {
            slow: (ThreadPoolExecutor(threads, thread_name_prefix="webhooks"), threading.Semaphore(threads))
            for slow in (False, True)
        }

    def dispatch(self) -> bool:
        """Leases every webhook that is due, as far as threads are free; tells whether there was any."""
        found = False
        for slow, (pool, free) in self._pools.items():
            while free.acquire(blocking=False):
                lease = self._take(slow)
                if lease is None:
                    free.release()
                    break
                found = True
                pool.submit(self._serve, lease, free)
        return found

    def _take(self, slow: bool) -> Row | None:
        now = this_instant()
        with self._store.deadline():
            return self._store.leases.take(now, now + LEASE, slow=slow)

    def _serve(self, lease: Row, free: threading.Semaphore) -> None:
        try:
            self._courier.serve(lease)
        except Exception:
            # The lease runs out by itself, and the webhook is served again.
            log.exception("webhook not served", extra={"webhookId": lease["id"]})
        finally:
            free.release()

    def close(self) -> None:
        """Waits for the requests that are on their way."""
        for pool, _ in self._pools.values():
            pool.shutdown(wait=True)
