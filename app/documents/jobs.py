"""The job that publishes scheduled documents when they are due."""

import logging
from functools import partial

from prometheus_client import Counter

from app.core.store.store import Store
from app.core.worker import WAITING, Job, ProjectPool
from app.documents.publishing import publish_due
from app.documents.store import Documents

log = logging.getLogger("content_workflow.worker")

PUBLISHING, PUBLISHING_THREADS = "publish scheduled documents", 4
PUBLISHED = Counter("content_workflow_scheduled_documents", "Scheduled documents that came due.", ["outcome"])
for outcome in ("published", "failed"):  # from 0 on, so that `increase` sees the first one
    PUBLISHED.labels(outcome)


def publish_scheduled_documents(store: Store, _settings: object) -> Job:
    """Publishes scheduled documents that are due."""
    pool = ProjectPool(PUBLISHING, PUBLISHING_THREADS, per_project=1)
    return Job(PUBLISHING, 0.25, partial(start_publishing, store, pool), pool.close)


def start_publishing(store: Store, pool: ProjectPool) -> bool:
    """Gives each project with documents that are due a turn, several projects at once.

    However much a project has scheduled, it uses one thread for one turn, and then the next project has its turn.
    """
    with store.deadline():
        projects = store[Documents].find_projects_due(store.now())
    WAITING.labels(PUBLISHING).set(len(projects))
    for project_id in projects:
        pool.submit(project_id, partial(publish_turn, store, project_id))
    return False


def publish_turn(store: Store, project_id: str) -> None:
    """Publishes what is due in a project until its turn is over."""
    with store.deadline():
        for document_id, reason in publish_due(store, project_id, store.now()):
            PUBLISHED.labels("failed" if reason else "published").inc()
            what = "scheduled document not published" if reason else "scheduled document published"
            log.log(
                logging.WARNING if reason else logging.INFO, what, extra={"documentId": document_id, "reason": reason}
            )
