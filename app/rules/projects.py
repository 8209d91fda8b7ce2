"""What is stored of a project (decisions, section 5)."""

from datetime import datetime
from typing import NotRequired, TypedDict


class StoredProject(TypedDict):
    """A project as the store returns it."""

    id: str
    projectId: str
    """Its id again, so that one condition finds the records of all collections."""
    teamId: str
    name: str
    reviewRequired: bool
    siteUrl: NotRequired[str | None]
    claimLeaseSeconds: NotRequired[int | None]
    checks: NotRequired[dict[str, str] | None]
    """The levels of checks by name; those that are not named are warnings."""
    createdAt: datetime
    updatedAt: datetime
    rev: int
