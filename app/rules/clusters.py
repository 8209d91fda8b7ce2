"""What is stored of a cluster (decisions, section 4)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.actors import Actor


class StoredCluster(TypedDict):
    """A cluster as the store returns it."""

    id: str
    projectId: str
    name: str
    description: NotRequired[str | None]
    keywords: NotRequired[list[str] | None]
    createdAt: datetime
    createdBy: Actor
    updatedAt: datetime
    deletedAt: datetime | None
    rev: int
