"""What was in the trash long enough is deleted for good, with its texts and its history (decisions, section 5)."""

from datetime import datetime

from app.store.store import Store


def purge_trash(store: Store, before: datetime, project_id: str | None = None) -> int:
    """Deletes documents that were moved to the trash before an instant, of one project or of all; returns how many.

    One that was interrupted is finished by the next. A document whose last events wait to be relayed stays until then.
    """
    purged = 0
    while True:
        with store.deadline():
            one = store.documents.longest_in_trash(before, project_id)
            if one is None:
                return purged
            store.transfers.forget(one["projectId"], one["id"])
            if store.documents.purge(one["projectId"], one["id"], before):
                store.events.forget(one["projectId"], one["id"])
                purged += 1
