"""What is stored of a project (decisions, sections 5 and 13)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.actors import StoredNote


class StoredProject(TypedDict):
    """A project as the store returns it."""

    id: str
    projectId: str
    """Its id again, so that one condition finds the records of all collections."""
    teamId: str
    name: str
    reviewRequired: bool
    siteUrl: NotRequired[str | None]
    previewUrl: NotRequired[str | None]
    categoryUrl: NotRequired[str | None]
    claimLeaseSeconds: NotRequired[int | None]
    guidelines: NotRequired[str | None]
    fourEyes: NotRequired[bool | None]
    checks: NotRequired[dict[str, str] | None]
    """The levels of checks by name; those that are not named are warnings."""
    reviewRecord: NotRequired[str | None]
    """Whether an approval needs the record of a person's review."""
    maxRounds: NotRequired[int | None]
    """From how many rounds on people decide; None for no limit."""
    slack: NotRequired[str | None]
    """Where notices of what waits for everybody go."""
    frozen: NotRequired[StoredNote | None]
    """Why, since when and by whom it is frozen."""
    createdAt: datetime
    updatedAt: datetime
    rev: int
