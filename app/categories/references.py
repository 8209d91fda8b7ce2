"""The members, categories and clusters that a record names: which of them exist, locked against deletion."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.categories.reference_rules import ExistingRecords
from app.categories.store import Categories, Clusters
from app.core.store.store import Store
from app.projects.store import Members


def lock_references(
    store: Store, project_id: str, *records: Mapping[str, Any], from_draft: bool = False
) -> ExistingRecords:
    """Returns which of the ids that the fields of records name exist in the project; of documents none.

    Inside a transaction none of the categories and clusters can be deleted meanwhile: it writes to them, unless the
    record is a draft that the transaction deletes.
    """

    def locked(named: Categories | Clusters, field: str) -> set[str]:
        refer = named.refer_from_draft if from_draft else named.refer_to
        return {one for one in _ids_in(records, field) if refer(project_id, one)}

    return ExistingRecords(
        members={one for one in _ids_in(records, "assigneeId", "authorId") if store[Members].exists(project_id, one)},
        categories=locked(store[Categories], "categoryId"),
        clusters=locked(store[Clusters], "clusterId"),
    )


def _ids_in(records: Iterable[Mapping[str, Any]], *names: str) -> list[str]:
    """Returns the ids in some fields of records, without duplicates, sorted: two calls then conflict early."""
    return sorted({named.lower() for fields in records for name in names if (named := fields.get(name))})
