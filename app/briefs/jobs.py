"""The job that ends claims whose lease has run out."""

import logging
from contextlib import suppress
from functools import partial

from prometheus_client import Counter

from app.briefs.operations import end_expired_claim
from app.core.context import Context, system
from app.core.errors import WriteConflict
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.core.worker import Job, ProjectByProject, project_by_project
from app.documents.store import Documents

log = logging.getLogger("content_workflow.worker")

CLAIMS_EXPIRED = Counter("content_workflow_claims_expired", "Claims whose lease expired.")


def end_expired_claims(store: Store, _settings: object) -> Job:
    """Ends claims whose lease has run out."""
    return project_by_project("expire claims", 1, expire_claims, store)


def expire_claims(store: Store, projects: ProjectByProject) -> bool:
    """Ends the claims whose lease has run out; nothing else does."""
    now = store.now()

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
