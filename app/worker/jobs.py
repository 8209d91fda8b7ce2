"""The jobs of the worker: what each does when it is its time."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from app.http.metrics import CLAIMS_EXPIRED, PUBLISHED, RELAYED
from app.operations.context import this_instant
from app.operations.publishing import publish_due
from app.settings import Settings
from app.store.store import Store
from app.worker.project_pool import ProjectPool
from app.worker.webhook_client import WebhookClient
from app.worker.webhook_dispatcher import WebhookDispatcher
from app.worker.webhook_sender import WebhookSender

log = logging.getLogger("content_workflow.worker")

CUT_EVERY = timedelta(hours=1)
PUBLISHING_THREADS = 4


@dataclass(frozen=True)
class Job:
    """Something to do again and again: `run` tells whether there may be more to do at once."""

    name: str
    pause_seconds: float
    run: Callable[[], bool]
    end: Callable[[], None] = lambda: None


def jobs(store: Store, settings: Settings) -> tuple[Job, ...]:
    """Returns the worker's jobs."""
    client = WebhookClient(allow_local=settings.webhooks_allow_local)
    webhooks = WebhookDispatcher(store, WebhookSender(store, client))
    publishers = ProjectPool("publish what is due", PUBLISHING_THREADS, per_project=1)
    kept = timedelta(days=settings.events_kept_days)
    return (
        Job("relay events", 0.2, lambda: relay_events(store, then=webhooks.dispatch)),
        Job("send webhooks", 0.2, webhooks.dispatch, webhooks.close),
        Job("publish what is due", 0.25, lambda: publish_scheduled(store, publishers), publishers.close),
        Job("write down lost claims", 1, lambda: expire_claims(store)),
        Job("cut the feeds", 60, lambda: cut_feeds(store, kept)),
    )


def relay_events(store: Store, then: Callable[[], bool]) -> bool:
    """Relays a batch of each project whose records have events waiting, and has what was queued sent at once."""
    with store.deadline():
        waiting = store.outboxes.projects_waiting()
    relayed = 0
    for project_id in waiting:
        with store.deadline():
            events = store.outboxes.relay(project_id)
        if events:
            RELAYED.inc(events)
            log.info("events relayed", extra={"projectId": project_id, "events": events})
        relayed += events
    if relayed:
        then()
    return relayed > 0


def publish_scheduled(store: Store, pool: ProjectPool) -> bool:
    """Gives each project with documents that are due a turn, some projects at once.

    Whatever a project has scheduled, it uses one thread, and the others come after one turn of each project.
    """
    with store.deadline():
        projects = store.documents.projects_due(this_instant())
    for project_id in projects:
        pool.submit(project_id, partial(publish_turn, store, project_id))
    return False


def publish_turn(store: Store, project_id: str) -> None:
    """Publishes what is due in a project until its turn is over."""
    for document_id, reason in publish_due(store, project_id, this_instant()):
        PUBLISHED.labels("failed" if reason else "published").inc()
        what = "scheduled document not published" if reason else "scheduled document published"
        log.info(what, extra={"documentId": document_id, "reason": reason})


def expire_claims(store: Store) -> bool:
    """Writes down the claims whose lease ran out, so that their events are there without anybody's write."""
    with store.deadline():
        expired = store.briefs.expire(this_instant())
    for document_id in expired:
        log.info("claim expired", extra={"documentId": document_id})
    CLAIMS_EXPIRED.inc(len(expired))
    return bool(expired)


def cut_feeds(store: Store, kept: timedelta) -> bool:
    """Cuts old events off the feeds, once an hour among all workers."""
    now = this_instant()
    with store.deadline():
        if not store.leases.turn("cut the feeds", now, CUT_EVERY):
            return False
    cut = store.events.cut(now - kept)
    if cut:
        log.info("feeds cut", extra={"events": cut})
    return False
