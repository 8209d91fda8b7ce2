"""What is stored of members, clusters and categories, which other records name (decisions, sections 2 and 4)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.actors import Actor


class StoredNamed(TypedDict):
    """The fields that all of them have."""

    id: str
    projectId: str
    name: str
    createdAt: datetime
    deletedAt: datetime | None
    rev: int


class StoredMember(StoredNamed):
    """A member as the store returns it."""

    email: NotRequired[str | None]
    role: str


class StoredClusterOrCategory(StoredNamed):
    """The fields that clusters and categories have."""

    description: NotRequired[str | None]
    createdBy: Actor
    updatedAt: datetime


class StoredCluster(StoredClusterOrCategory):
    """A cluster as the store returns it."""

    keywords: NotRequired[list[str] | None]


class StoredCategory(StoredClusterOrCategory):
    """A category as the store returns it."""

    slug: str
    categoryId: NotRequired[str | None]
    """The parent category's id."""
