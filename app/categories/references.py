"""The members, categories and clusters that a record names: which of them exist, locked against deletion."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.categories.reference_rules import ExistingRecords
from app.categories.store import Categories, Clusters
from app.core.store.store import Store
from app.projects.store import Members


def lock_references(store: Store, project_id: str, *records: Mapping[str, Any]) -> ExistingRecords:
    """Returns which of the ids that the fields of records name exist in the project; of documents none.

    It writes, inside a transaction, to the categories and clusters, so that none of them can be deleted meanwhile.
    """
    members, categories = _ids_in(records, "assigneeId", "authorId"), _ids_in(records, "categoryId")
    return ExistingRecords(
        members={one for one in members if store[Members].exists(project_id, one)},
        categories={one for one in categories if store[Categories].refer_to(project_id, one)},
        clusters={one for one in _ids_in(records, "clusterId") if store[Clusters].refer_to(project_id, one)},
    )


def _ids_in(records: Iterable[Mapping[str, Any]], *names: str) -> list[str]:
    """Returns the ids in some fields of records, without duplicates, sorted: two calls then conflict early."""
    return sorted({named.lower() for fields in records for name in names if (named := fields.get(name))})
