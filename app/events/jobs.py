"""The job that trims feeds."""

import logging
from datetime import timedelta

from app.core.store.store import Store
from app.core.worker import Job, ProjectByProject, project_by_project
from app.events.feature import EventSettings
from app.events.store import Events

log = logging.getLogger("content_workflow.worker")


def trim_all_feeds(store: Store, settings: EventSettings) -> Job:
    """Removes old events from feeds."""
    return project_by_project("trim feeds", 600, trim_feeds, store, timedelta(days=settings.events_kept_days))


def trim_feeds(store: Store, projects: ProjectByProject, keep: timedelta) -> bool:
    """Removes a batch of old events from each feed."""
    before = store.now() - keep

    def trim(project_id: str) -> int:
        return store[Events].trim(project_id, before)

    trimmed = projects.each(store, store[Events].projects, trim, is_sweep=True)
    if trimmed:
        log.info("feeds trimmed", extra={"events": trimmed})
    return trimmed > 0
