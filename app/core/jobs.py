"""The jobs of the worker: the relay of events, and those that `app/features.py` lists.

A job does its work for one project after the other, each under a deadline (`ProjectByProject`), in steps short enough.
"""

import logging
from collections.abc import Callable
from typing import Any

from prometheus_client import Counter

from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.worker import Job, ProjectByProject, project_by_project

log = logging.getLogger("content_workflow.worker")

RELAYED = Counter("content_workflow_events_relayed", "Events that this worker published to feeds.")


def jobs(store: Store, settings: Any) -> tuple[Job, ...]:
    """Returns the jobs of a worker."""
    others = tuple(make(store, settings) for make in store.features.jobs())
    then = [job.run for job in others if job.after_events]
    return (project_by_project("relay events", 0.2, relay_events, store, *then), *others)


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
