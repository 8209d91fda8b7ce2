"""What is stored of a project (decisions, sections 5 and 13)."""

from datetime import datetime
from typing import Any, NotRequired, TypedDict

from app.errors import ProjectFrozen
from app.rules.actors import Actor
from app.rules.times import wire_time


class Frozen(TypedDict):
    """Why, since when and by whom a project is frozen."""

    note: str
    at: datetime
    by: Actor


class StoredProject(TypedDict):
    """A project as the store returns it."""

    id: str
    projectId: str
    """Its id again, so that one condition finds the records of all collections."""
    teamId: str
    name: str
    reviewRequired: bool
    siteUrl: NotRequired[str | None]
    categoryUrl: NotRequired[str | None]
    claimLeaseSeconds: NotRequired[int | None]
    guidelines: NotRequired[str | None]
    fourEyes: NotRequired[bool | None]
    checks: NotRequired[dict[str, str] | None]
    """The levels of checks by name; those that are not named are warnings."""
    frozen: NotRequired[Frozen | None]
    createdAt: datetime
    updatedAt: datetime
    rev: int


def shown_frozen(frozen: Frozen) -> dict[str, Any]:
    """Returns why, since when and by whom a project is frozen, as callers see it."""
    return {"note": frozen["note"], "at": wire_time(frozen["at"]), "by": dict(frozen["by"])}


def project_frozen(frozen: Frozen) -> ProjectFrozen:
    """Returns the refusal of writes in a frozen project."""
    return ProjectFrozen(**shown_frozen(frozen))
