"""What is stored of a token (decisions, section 2)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.budgets import Budget


class StoredToken(TypedDict):
    """A token as the store returns it; lists leave out `hash`."""

    id: str
    projectId: str
    kind: str
    name: str
    agent: NotRequired[str | None]
    scopes: list[str]
    drafts: bool
    budget: NotRequired[Budget | None]
    hash: NotRequired[str]
    createdAt: datetime
    expiresAt: NotRequired[datetime | None]
    lastUsedAt: NotRequired[datetime | None]
    revokedAt: NotRequired[datetime | None]
    rev: int
