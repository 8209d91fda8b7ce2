"""What was in the trash long enough is deleted for good, with its texts and its history (decisions, section 5)."""

from datetime import datetime
from functools import partial
from typing import Any

from app.store.store import Store


def purge_trash(store: Store, before: datetime, project_id: str | None = None) -> int:
    """Deletes documents that were moved to the trash before an instant, of one project or of all; returns how many.

    A document goes whole or not at all, so one that is restored at the same time is restored whole. One whose last
    events wait to be relayed stays until then.
    """
    purged = 0
    while True:
        with store.deadline():
            one = store.documents.longest_in_trash(before, project_id)
            if one is None:
                return purged
            purged += store.in_transaction(partial(_purge, document=one, before=before))


def _purge(store: Store, document: dict[str, Any], before: datetime) -> int:
    project_id, document_id = document["projectId"], document["id"]
    if not store.documents.purge(project_id, document_id, before):
        return 0
    store.transfers.forget(project_id, document_id)
    store.events.forget(project_id, document_id)
    return 1
