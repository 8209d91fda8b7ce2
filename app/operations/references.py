"""Looks up what a record names: which of the members, categories, clusters and documents exist."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.rules.references import ExistingRecords
from app.store.store import Store


def look_up(store: Store, project_id: str, *records: Mapping[str, Any], links: Iterable[str] = ()) -> ExistingRecords:
    """Returns which of the ids that the fields of records name exist in the project.

    Inside a transaction, categories and clusters are written to, so that none of them can be deleted meanwhile.
    """
    found = ExistingRecords()
    for member in _ids_in(records, "assigneeId", "authorId"):
        if store.members.exists(project_id, member):
            found.members.add(member)
    for named in _ids_in(records, "categoryId"):
        if category := store.categories.refer_to(project_id, named):
            found.categories[category["id"]] = category["name"]
    for named in _ids_in(records, "clusterId"):
        if cluster := store.clusters.refer_to(project_id, named):
            found.clusters.add(cluster["id"])
    found.documents = store.documents.find_existing(project_id, links)
    return found


def _ids_in(records: Iterable[Mapping[str, Any]], *names: str) -> list[str]:
    """Returns the ids in some fields of records, each once, and in one order: two calls conflict early."""
    return sorted({named.lower() for fields in records for name in names if (named := fields.get(name))})
