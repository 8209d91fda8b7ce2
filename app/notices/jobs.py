"""The jobs that send notices, and that queue those of each hour."""

from datetime import datetime

from app.core.store.store import Store
from app.core.worker import Job, ProjectByProject, project_by_project
from app.notices.feature import MailSettings
from app.notices.mailer import Mailer
from app.notices.rules import mailboxes
from app.notices.sender import ATTEMPT_SECONDS, NoticeSender
from app.notices.store import Notices, NotifiedMembers
from app.outbound.dispatcher import Dispatcher
from app.outbound.message_client import MessageClient
from app.projects.store import Projects


def send_notices(store: Store, settings: MailSettings) -> Job:
    """Sends what is due to mailboxes."""
    clients = {
        slow: MessageClient(allow_local=settings.webhooks_allow_local, attempt_seconds=seconds)
        for slow, seconds in ATTEMPT_SECONDS.items()
    }
    mailer = Mailer(settings.smtp_url, settings.smtp_from) if settings.smtp_url else None
    sender = NoticeSender(store, clients, mailer, settings.public_url, clock=store.now)
    dispatcher = Dispatcher(store, sender, job="send notices")
    return Job("send notices", 0.5, dispatcher.dispatch, dispatcher.close, after_events=True)


def tell_each_hour(store: Store, _settings: object) -> Job:
    """Queues the notices of each hour and day."""
    told: set[datetime] = set()
    return project_by_project("tell by the hour", 2, tell_by_the_hour, store, told)


def tell_by_the_hour(store: Store, projects: ProjectByProject, told: set[datetime]) -> bool:
    """Queues the daily notices of the present hour, and what is overdue since the UTC day began; once.

    `told` has the hour that was done last. A worker that starts later in the day queues what is overdue again, which
    changes nothing of what was queued already.
    """
    now = store.now()
    hour = now.replace(minute=0, second=0, microsecond=0)
    if hour in told:
        return False
    is_new_day = hour.date() not in {one.date() for one in told}
    with store.deadline():
        members = store[NotifiedMembers].told_daily(now.hour)
        everywhere = [project["id"] for project in store[Projects].all()] if is_new_day else []
    here = {*everywhere, *(member["projectId"] for member in members)}

    def tell(project_id: str) -> int:
        if everywhere:
            store[Notices].queue_overdue(project_id, now)
        for member in members:
            if member["projectId"] == project_id:
                store[Notices].queue_digest(project_id, member["id"], mailboxes(member), now)
        return 1

    if projects.each(store, lambda: here, tell, is_sweep=True) == len(here):
        told.clear()
        told.add(hour)
    return False
