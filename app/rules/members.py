"""What is stored of a member (decisions, section 2)."""

from datetime import datetime
from typing import NotRequired, TypedDict


class StoredMember(TypedDict):
    """A member as the store returns it."""

    id: str
    projectId: str
    name: str
    email: NotRequired[str | None]
    role: str
    createdAt: datetime
    deletedAt: datetime | None
    rev: int
