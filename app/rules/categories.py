"""What is stored of a category (decisions, section 4)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.actors import Actor


class StoredCategory(TypedDict):
    """A category as the store returns it."""

    id: str
    projectId: str
    name: str
    slug: str
    description: NotRequired[str | None]
    categoryId: NotRequired[str | None]
    """The parent category's id."""
    createdAt: datetime
    createdBy: Actor
    updatedAt: datetime
    deletedAt: datetime | None
    rev: int
