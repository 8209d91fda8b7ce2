"""What a record may name: members, categories, clusters and documents of its own project."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import Problem


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
        ("assigneeId", found.members, "a member in this project: see the list of members"),
        ("authorId", found.members, "a member in this project: see the list of members"),
        ("categoryId", found.categories, "a category in this project: see the list of categories"),
        ("clusterId", found.clusters, "a cluster in this project: see the list of clusters"),
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
