"""The job that removes files without a record, and notes which pictures are in use."""

import logging
from datetime import datetime, timedelta
from functools import partial

from app.core.store.store import Store
from app.core.worker import Job, ProjectByProject
from app.images.store import ImageFiles, Images, Uses
from app.settings import Settings

log = logging.getLogger("content_workflow.worker")

PAUSE_SECONDS = 600
UPLOAD = timedelta(hours=1)
"""How long a file may be stored before its record."""


class Sweep:
    """The files and projects that a worker has looked at."""

    def __init__(self) -> None:
        self.projects = ProjectByProject("tidy pictures")
        self.since: datetime | None = None
        """Until when files were begun that it has looked at."""


def tidy_pictures(store: Store, _settings: Settings) -> Job:
    """Removes files without a record, and notes which pictures are in use."""
    return Job("tidy pictures", PAUSE_SECONDS, partial(tidy, store, Sweep()))


def tidy(store: Store, sweep: Sweep, upload: timedelta = UPLOAD) -> bool:
    """Looks at the files that were begun since the last time, and at every project's pictures."""
    now = store.now()
    before, removed = now - upload, 0
    for ids in store[ImageFiles].without_record(sweep.since, before):
        with store.deadline():
            store[ImageFiles].delete(ids)
        removed += len(ids)
    sweep.since = before - upload  # a file whose id was made then may have been written since
    if removed:
        log.info("files without a picture removed", extra={"files": removed})

    def note(project_id: str) -> int:
        store[Images].note_used(project_id, store[Uses].used_keys(project_id), now)
        return 0

    sweep.projects.each(store, store[Images].projects, note, is_sweep=True)
    return False
