"""Deletes documents that were in the trash long enough, with their texts and history (decisions, section 5)."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from app.core.store.bodies import Bodies
from app.core.store.store import Store
from app.documents.record import StoredDocument
from app.documents.store import Documents, Revisions


def purge_trash(
    store: Store, before: datetime, project_id: str | None = None, advance: Callable[[int], None] = lambda deleted: None
) -> int:
    """Deletes documents that were moved to the trash before a time, of one project or of all; returns how many.

    A document is deleted completely or not at all, also when it is restored at the same time. A document with events in
    its outbox is not deleted before they are relayed. `advance` is called as they are deleted, with their number.
    """
    purged = 0
    while True:
        with store.deadline():
            document = store[Documents].find_purgeable(before, project_id)
            if document is None:
                return purged
            deleted = store.in_transaction(partial(_purge, document=document, before=before))
        purged += deleted
        advance(deleted)


def count_purgeable(store: Store, before: datetime, project_id: str | None = None) -> int:
    """Returns how many documents `purge_trash` would delete now."""
    with store.deadline():
        return store[Documents].count_purgeable(before, project_id)


def _purge(store: Store, document: StoredDocument, before: datetime) -> int:
    project_id, document_id = document["projectId"], document["id"]
    if not store[Documents].purge(project_id, document_id, before):
        return 0
    store[Revisions].delete_of(project_id, document_id)
    store[Bodies].delete_of(project_id, document_id)
    for feature in store.features.features:
        if feature.purge:
            feature.purge(store, project_id, document_id)
    return 1
