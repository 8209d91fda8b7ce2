"""What a record names: which of the members, categories, clusters and documents exist, locked against deletion."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.rules.references import ExistingRecords
from app.store.store import Store


def lock_references(
    store: Store, project_id: str, *records: Mapping[str, Any], links: Iterable[str] = ()
) -> ExistingRecords:
    """Returns which of the ids that the fields of records name exist in the project.

    It writes, inside a transaction, to the categories and clusters, so that none of them can be deleted meanwhile.
    """
    members, categories = _ids_in(records, "assigneeId", "authorId"), _ids_in(records, "categoryId")
    return ExistingRecords(
        members={one for one in members if store.members.exists(project_id, one)},
        categories={one for one in categories if store.categories.refer_to(project_id, one)},
        clusters={one for one in _ids_in(records, "clusterId") if store.clusters.refer_to(project_id, one)},
        documents=store.documents.find_existing(project_id, links),
    )


def _ids_in(records: Iterable[Mapping[str, Any]], *names: str) -> list[str]:
    """Returns the ids in some fields of records, without duplicates, sorted: two calls then conflict early."""
    return sorted({named.lower() for fields in records for name in names if (named := fields.get(name))})
