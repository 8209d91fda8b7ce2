"""What is stored of a token, and its budget: how much it may change in an hour, and publish in a day.

(decisions, sections 2 and 13)
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from app.core.actors import Actor, StoredNote
from app.core.documented import doc
from app.core.named import StoredNamed, name_key
from app.core.secrets import StoredSecret
from app.core.vocabulary import Role, TokenKind
from app.guards.budgets import Budget
from app.notices.member_fields import Notify
from app.oauth.rules import ClientOfToken, Connection


class StoredMember(StoredNamed):
    """A member as the store returns it."""

    email: NotRequired[str | None]
    role: Annotated[str, AfterValidator(Role)]
    notify: NotRequired[Notify]
    notifyKey: NotRequired[str]
    """The secret in the links that turn e-mail off."""


class StoredToken(TypedDict):
    """A token as the store returns it; lists leave out `hash`, `connection` and `grantedWith`."""

    id: str
    projectId: str
    kind: str
    name: str
    agent: NotRequired[str | None]
    scopes: list[str]
    drafts: bool
    budget: NotRequired[Budget | None]
    memberId: NotRequired[str | None]
    client: NotRequired[ClientOfToken | None]
    grantedBy: NotRequired[Actor | None]
    grantedWith: NotRequired[str | None]
    """The hash of the token secret that agreed; the connection ends with that secret."""
    connection: NotRequired[Connection]
    """The secrets of a token that a client got by OAuth."""
    hash: NotRequired[str]
    createdAt: datetime
    expiresAt: NotRequired[datetime | None]
    lastUsedAt: NotRequired[datetime | None]
    revokedAt: NotRequired[datetime | None]
    rev: int


NEW_TOKEN: Mapping[str, Any] = {
    "kind": TokenKind.MANAGEMENT,
    "agent": None,
    "drafts": False,
    "budget": None,
    "expiresAt": None,
    "lastUsedAt": None,
    "revokedAt": None,
}
"""The fields of a new token that nobody chose."""


class StoredInvitation(StoredSecret):
    """An invitation as the store returns it."""

    memberId: str
    scopes: list[str]
    """What the token will allow."""
    createdBy: Actor
    tokenHash: str | None
    """The hash of the secret that the invitation was made with, with which it ends. None for the command line."""


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
