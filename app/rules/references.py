"""What a record may name: members, categories, clusters and documents of its own project."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.errors import Problem


@dataclass
class Found:
    """Which of the ids that were named exist in the project."""

    members: set[str] = field(default_factory=set)
    categories: dict[str, str] = field(default_factory=dict)
    """The names of the categories by id."""
    clusters: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)


def reference_problems(fields: Mapping[str, Any], found: Found) -> Iterator[Problem]:
    """Yields a problem for each id in the fields that names nothing in the project."""
    rows = (
        ("assigneeId", found.members, "Is no member of this project: `GET /members` lists them."),
        ("authorId", found.members, "Is no member of this project: `GET /members` lists them."),
        ("categoryId", found.categories, "Is no category of this project: `GET /categories` lists them."),
        ("clusterId", found.clusters, "Is no cluster of this project: `GET /clusters` lists them."),
    )
    for name, exist, message in rows:
        named = fields.get(name)
        if named is not None and named.lower() not in exist:
            yield Problem(field=name, message=message)


def link_problems(
    links: list[str] | None, found: Found, *, itself: str | None = None, prefix: str = ""
) -> Iterator[Problem]:
    """Yields a problem for each internal link that is no other document of the project."""
    for place, link in enumerate(links or ()):
        if link.lower() == itself:
            yield Problem(field=f"{prefix}internalLinks[{place}]", message="A document may not link to itself.")
        elif link.lower() not in found.documents:
            message = "Is no document of this project."
            yield Problem(field=f"{prefix}internalLinks[{place}]", message=message)
