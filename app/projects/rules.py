"""Stored form of projects, members, tokens and invitations (decisions, sections 2 and 5)."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import doc
from app.core.records import Stored
from app.core.schemas.validation import word_of
from app.core.slugs import StoredNamed, name_key
from app.core.vocabulary import Role, Scope, TokenKind

USUAL_SCOPES: Mapping[str, tuple[Scope, ...]] = {
    Role.WRITER: (Scope.READ, Scope.WRITE),
    Role.EDITOR: (Scope.READ, Scope.WRITE, Scope.PUBLISH),
    Role.OWNER: tuple(Scope),
}
"""The scopes that a member's role stands for: the default of an invitation, and the most by an OpenID provider."""


class StoredMember(StoredNamed):
    """A member as the store returns it."""

    slug: str
    email: NotRequired[str | None]
    role: Annotated[str, word_of(Role)]
    bio: NotRequired[str | None]
    imageUrl: NotRequired[str | None]


class StoredToken(Stored):
    """A token as the store returns it; lists have nothing but what is shown."""

    kind: str
    name: str
    agent: NotRequired[str | None]
    scopes: list[str]
    drafts: bool
    memberId: NotRequired[str | None]
    hash: NotRequired[str]
    expiresAt: NotRequired[datetime | None]
    lastUsedAt: NotRequired[datetime | None]
    revokedAt: NotRequired[datetime | None]
    createdBy: NotRequired[Actor]
    """Of a calendar's token, who made it; the others have it in their event."""
    tokenHash: NotRequired[str | None]
    """Of a calendar's token, the hash of the secret that it was made with, with which it ends."""


NEW_TOKEN: Mapping[str, Any] = {
    "kind": TokenKind.MANAGEMENT,
    "agent": None,
    "drafts": False,
    "expiresAt": None,
    "lastUsedAt": None,
    "revokedAt": None,
}
"""The fields of a new token that nobody chose."""


class StoredSecret(TypedDict):
    """Stored form of a secret that expires."""

    id: str
    projectId: str
    hash: str
    """The hash of the secret."""
    createdAt: datetime
    expiresAt: datetime


class StoredInvitation(StoredSecret):
    """An invitation as the store returns it."""

    memberId: str
    scopes: list[str]
    """The scopes that the token will have."""
    createdBy: Actor
    tokenHash: str | None
    """The hash of the secret that the invitation was made with, with which it ends. None for the command line."""


class SavedView(TypedDict):
    """A list of documents under a name."""

    name: Annotated[str, doc("its name", "Due this week")]
    query: Annotated[str, doc("as in the address of the console's table", "due=week")]


class StoredProject(Stored):
    """A project as the store returns it; `projectId` is its id again, so that one condition finds all records."""

    teamId: str
    name: str
    reviewRequired: bool
    siteUrl: NotRequired[str | None]
    previewUrl: NotRequired[str | None]
    categoryUrl: NotRequired[str | None]
    claimLeaseSeconds: NotRequired[int | None]
    views: NotRequired[list[SavedView] | None]
    updatedAt: datetime


def merged_views(views: Iterable[SavedView], sent: Iterable[Mapping[str, Any]]) -> list[SavedView]:
    """Returns a project's views by name, with those that were sent; one without a query is deleted."""
    merged: dict[str, Any] = {name_key(view["name"]): view for view in (*views, *sent)}
    return [view for _, view in sorted(merged.items()) if view["query"] is not None]
