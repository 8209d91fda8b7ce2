"""The jobs of the worker: a table, and what each job does in one run.

Everything that a job does in MongoDB is done under `Store.deadline`, in steps short enough for it.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from app.errors import WriteConflict
from app.http.metrics import CLAIMS_EXPIRED, PUBLISHED, RELAYED
from app.operations.briefs import expire_lease
from app.operations.context import Context, system, this_instant
from app.operations.provenance import attribute_new_texts
from app.operations.publishing import publish_due
from app.rules.notices import mailboxes
from app.settings import Settings
from app.store.store import Store
from app.vocabulary import Channel
from app.worker.mailer import Mailer
from app.worker.notice_sender import ATTEMPT_SECONDS, NoticeSender
from app.worker.webhook_client import WebhookClient
from app.worker.webhook_sender import WebhookDispatcher, WebhookSender
from app.worker.worker import Job, ProjectByProject, ProjectPool

log = logging.getLogger("content_workflow.worker")

PUBLISHING_THREADS = 4


def jobs(store: Store, settings: Settings) -> tuple[Job, ...]:
    """Returns the worker's jobs."""
    client = WebhookClient(allow_local=settings.webhooks_allow_local)
    webhooks = WebhookDispatcher(store, WebhookSender(store, client))
    clients = {
        slow: WebhookClient(allow_local=settings.webhooks_allow_local, attempt_seconds=seconds)
        for slow, seconds in ATTEMPT_SECONDS.items()
    }
    mailer = Mailer(settings.smtp_url, settings.smtp_from) if settings.smtp_url else None
    notices = WebhookDispatcher(store, NoticeSender(store, clients, mailer, settings.public_url), job="send notices")
    told: set[datetime] = set()
    publishers = ProjectPool("publish scheduled documents", PUBLISHING_THREADS, per_project=1)
    keep = timedelta(days=settings.events_kept_days)

    def project_by_project(name: str, pause_seconds: float, run: Callable[..., bool], *arguments: object) -> Job:
        return Job(name, pause_seconds, partial(run, store, ProjectByProject(name), *arguments))

    return (
        project_by_project("relay events", 0.2, relay_events, webhooks.dispatch, notices.dispatch),
        Job("send webhooks", 0.2, webhooks.dispatch, webhooks.close),
        Job("send notices", 0.5, notices.dispatch, notices.close),
        project_by_project("tell by the hour", 2, tell_by_the_hour, told),
        Job("publish scheduled documents", 0.25, partial(start_publishing, store, publishers), publishers.close),
        project_by_project("expire claims", 1, expire_claims),
        project_by_project("attribute texts", 1, attribute_texts),
        project_by_project("trim feeds", 600, trim_feeds, keep),
    )


def relay_events(store: Store, projects: ProjectByProject, *then: Callable[[], object]) -> bool:
    """Moves a batch of events of each project to its feed; calls `then` at once when something may have been queued."""

    def relay(project_id: str) -> int:
        with store.deadline():
            events = store.outboxes.publish_batch(project_id)
        if events:
            RELAYED.inc(events)
            log.info("events relayed", extra={"projectId": project_id, "events": events})
        return events

    with store.deadline():
        waiting = store.outboxes.projects_waiting()
    relayed = projects.each(waiting, relay)
    for send in then if relayed else ():
        send()
    return relayed > 0


def tell_by_the_hour(store: Store, projects: ProjectByProject, told: set[datetime]) -> bool:
    """Queues the daily notices of the present hour, and what is overdue since the UTC day began; once.

    `told` has the hour that was done last. A worker that starts later in the day queues what is overdue again, which
    changes nothing of what was queued already.
    """
    now = this_instant()
    hour = now.replace(minute=0, second=0, microsecond=0)
    if hour in told:
        return False
    is_new_day = hour.date() not in {one.date() for one in told}
    with store.deadline():
        members = store.members.told_daily(now.hour)
        everywhere = [project["id"] for project in store.projects.all()] if is_new_day else []
    here = {*everywhere, *(member["projectId"] for member in members)}

    def tell(project_id: str) -> int:
        with store.deadline():
            if everywhere:
                store.notices.queue_overdue(project_id, now)
            for member in members:
                if member["projectId"] == project_id:
                    store.notices.queue_digest(project_id, member["id"], mailboxes(member), now)
        return 1

    if projects.each(here, tell) == len(here):
        told.clear()
        told.add(hour)
    return False


def start_publishing(store: Store, pool: ProjectPool) -> bool:
    """Gives each project with documents that are due a turn, several projects at once.

    However much a project has scheduled, it uses one thread for one turn, and then the next project has its turn.
    """
    with store.deadline():
        projects = store.documents.find_projects_due(this_instant())
    for project_id in projects:
        pool.submit(project_id, partial(publish_turn, store, project_id))
    return False


def publish_turn(store: Store, project_id: str) -> None:
    """Publishes what is due in a project until its turn is over."""
    for document_id, reason in publish_due(store, project_id, this_instant()):
        PUBLISHED.labels("failed" if reason else "published").inc()
        what = "scheduled document not published" if reason else "scheduled document published"
        log.info(what, extra={"documentId": document_id, "reason": reason})


def expire_claims(store: Store, projects: ProjectByProject) -> bool:
    """Records that the leases of claims have expired, so that there is an event without any request."""
    now = this_instant()
    with store.deadline():
        with_expired = store.documents.find_projects_with_expired(now)

    def expire(project_id: str) -> int:
        recorded = 0
        with store.deadline():
            expired = store.documents.find_expired(project_id, now)
        ctx = Context(store, system(project_id, ""), Channel.WORKER, now)
        for document in expired:
            with suppress(WriteConflict), store.deadline():
                expire_lease(ctx, document)
                recorded += 1
                CLAIMS_EXPIRED.inc()
                log.info("claim expired", extra={"documentId": document["id"]})
        return recorded

    return projects.each(with_expired, expire) > 0


def attribute_texts(store: Store, projects: ProjectByProject) -> bool:
    """Computes who wrote the paragraphs of new texts, from the events of each project's feed."""
    with store.deadline():
        behind = store.events.unattributed()
    return projects.each(behind, lambda project_id: attribute_new_texts(store, project_id, behind[project_id])) > 0


def trim_feeds(store: Store, projects: ProjectByProject, keep: timedelta) -> bool:
    """Removes a batch of old events from each feed."""
    before = this_instant() - keep

    def trim(project_id: str) -> int:
        with store.deadline():
            return store.events.trim(project_id, before)

    with store.deadline():
        feeds = store.events.projects()
    trimmed = projects.each(feeds, trim)
    if trimmed:
        log.info("feeds trimmed", extra={"events": trimmed})
    return trimmed > 0
