"""What is stored of a project (decisions, sections 5 and 13), and its saved views."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.documented import doc
from app.rules.actors import StoredNote
from app.rules.named import name_key


class SavedView(TypedDict):
    """A list of documents under a name."""

    name: Annotated[str, doc("its name", "Due this week")]
    query: Annotated[str, doc("its filters, order and columns, as in the address of the console's table", "due=week")]


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
    """The Slack address for notices of what waits for everybody."""
    views: NotRequired[list[SavedView] | None]
    frozen: NotRequired[StoredNote | None]
    """Why, since when and by whom it is frozen."""
    createdAt: datetime
    updatedAt: datetime
    rev: int


def merged_views(views: Iterable[SavedView], sent: Iterable[Mapping[str, Any]]) -> list[SavedView]:
    """Returns a project's views by name, with those that were sent; one without a query is deleted."""
    merged: dict[str, Any] = {name_key(view["name"]): view for view in (*views, *sent)}
    return [view for _, view in sorted(merged.items()) if view["query"] is not None]
