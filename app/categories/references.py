"""References: a record may name members, categories, clusters and documents of its own project.

Confirming locks those that a record names against deletion.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.categories.store import Categories, Clusters
from app.core.errors import Problem
from app.core.store.store import Store
from app.projects.store import Members


@dataclass
class ExistingRecords:
    """Which of the ids that were named exist in the project."""

    members: set[str] = field(default_factory=set)
    categories: set[str] = field(default_factory=set)
    clusters: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)


def reference_problems(fields: Mapping[str, Any], found: ExistingRecords) -> Iterator[Problem]:
    """Yields a problem for each id in the fields that names nothing in the project."""
    rows: tuple[tuple[str, Collection[str], str], ...] = (
        ("assigneeId", found.members, "a member in this project"),
        ("authorId", found.members, "a member in this project"),
        ("categoryId", found.categories, "a category in this project"),
        ("clusterId", found.clusters, "a cluster in this project"),
    )
    for name, exist, wanted in rows:
        named = fields.get(name)
        if named is not None and named.lower() not in exist:
            yield Problem(field=name, message=f"Is not the id of {wanted}.")


def link_problems(
    links: list[str] | None, found: ExistingRecords, *, itself: str | None = None, prefix: str = ""
) -> Iterator[Problem]:
    """Yields a problem for each internal link that is no other document of the project."""
    for place, link in enumerate(links or ()):
        if link.lower() == itself:
            yield Problem(field=f"{prefix}internalLinks[{place}]", message="A document may not link to itself.")
        elif link.lower() not in found.documents:
            message = "Is not the id of a document in this project."
            yield Problem(field=f"{prefix}internalLinks[{place}]", message=message)


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
