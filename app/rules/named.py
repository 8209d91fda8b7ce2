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


class StoredCluster(StoredNamed):
    """A cluster as the store returns it."""

    description: NotRequired[str | None]
    keywords: NotRequired[list[str] | None]
    createdBy: Actor
    updatedAt: datetime


class StoredCategory(StoredNamed):
    """A category as the store returns it."""

    slug: str
    description: NotRequired[str | None]
    categoryId: NotRequired[str | None]
    """The parent category's id."""
    createdBy: Actor
    updatedAt: datetime
