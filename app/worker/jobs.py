"""The jobs of the worker: a table, and what each job does in one run.

A job does its work for one project after the other, each under a deadline (`ProjectByProject`), in steps short enough.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from app.briefs.operations import end_expired_claim
from app.core.context import Context, system, this_instant
from app.core.errors import WriteConflict
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.documents.publishing import publish_due
from app.documents.store import Documents
from app.events.store import Events
from app.http.metrics import CLAIMS_EXPIRED, PUBLISHED, RELAYED
from app.notices.mailer import Mailer
from app.notices.rules import mailboxes
from app.notices.sender import ATTEMPT_SECONDS, NoticeSender
from app.notices.store import Notices
from app.projects.store import Members, Projects
from app.provenance.operations import attribute_new_texts
from app.settings import Settings
from app.webhooks.client import WebhookClient
from app.webhooks.sender import WebhookDispatcher, WebhookSender
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
        events = store[Outboxes].publish_batch(project_id)
        if events:
            RELAYED.inc(events)
            log.info("events relayed", extra={"projectId": project_id, "events": events})
        return events

    relayed = projects.each(store, store[Outboxes].projects_waiting, relay)
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
        members = store[Members].told_daily(now.hour)
        everywhere = [project["id"] for project in store[Projects].all()] if is_new_day else []
    here = {*everywhere, *(member["projectId"] for member in members)}

    def tell(project_id: str) -> int:
        if everywhere:
            store[Notices].queue_overdue(project_id, now)
        for member in members:
            if member["projectId"] == project_id:
                store[Notices].queue_digest(project_id, member["id"], mailboxes(member), now)
        return 1

    if projects.each(store, lambda: here, tell) == len(here):
        told.clear()
        told.add(hour)
    return False


def start_publishing(store: Store, pool: ProjectPool) -> bool:
    """Gives each project with documents that are due a turn, several projects at once.

    However much a project has scheduled, it uses one thread for one turn, and then the next project has its turn.
    """
    with store.deadline():
        projects = store[Documents].find_projects_due(this_instant())
    for project_id in projects:
        pool.submit(project_id, partial(publish_turn, store, project_id))
    return False


def publish_turn(store: Store, project_id: str) -> None:
    """Publishes what is due in a project until its turn is over."""
    with store.deadline():
        for document_id, reason in publish_due(store, project_id, this_instant()):
            PUBLISHED.labels("failed" if reason else "published").inc()
            what = "scheduled document not published" if reason else "scheduled document published"
            log.info(what, extra={"documentId": document_id, "reason": reason})


def expire_claims(store: Store, projects: ProjectByProject) -> bool:
    """Ends the claims whose lease has run out; nothing else does."""
    now = this_instant()

    def expire(project_id: str) -> int:
        ended = 0
        ctx = Context(store, system(project_id, ""), Channel.WORKER, now)
        for document in store[Documents].find_expired(project_id, now):
            with suppress(WriteConflict):
                end_expired_claim(ctx, document)
                ended += 1
                CLAIMS_EXPIRED.inc()
                log.info("claim expired", extra={"documentId": document["id"]})
        return ended

    return projects.each(store, partial(store[Documents].find_projects_with_expired, now), expire) > 0


def attribute_texts(store: Store, projects: ProjectByProject) -> bool:
    """Computes who wrote the paragraphs of new texts, from the events of each project's feed."""
    behind: dict[str, int] = {}

    def find() -> Iterable[str]:
        behind.update(store[Events].unattributed())
        return behind

    return projects.each(store, find, lambda project_id: attribute_new_texts(store, project_id, behind[project_id])) > 0


def trim_feeds(store: Store, projects: ProjectByProject, keep: timedelta) -> bool:
    """Removes a batch of old events from each feed."""
    before = this_instant() - keep

    def trim(project_id: str) -> int:
        return store[Events].trim(project_id, before)

    trimmed = projects.each(store, store[Events].projects, trim)
    if trimmed:
        log.info("feeds trimmed", extra={"events": trimmed})
    return trimmed > 0
