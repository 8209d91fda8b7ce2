"""What is stored of members, clusters and categories, which other records name (decisions, sections 2 and 4)."""

import unicodedata
from typing import Annotated, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from app.documented import Id, doc, one_of
from app.rules.actors import Actor
from app.rules.times import Instant
from app.vocabulary import Digest, Role


def name_key(name: str) -> str:
    """Returns what names are compared by: the name composed, trimmed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


class StoredNamed(TypedDict):
    """The fields that all of them have."""

    id: Id
    projectId: str
    name: str
    createdAt: Instant
    deletedAt: Instant | None
    rev: int


class Notify(TypedDict):
    """How a member is told of what waits for them (decisions, section 19)."""

    email: Annotated[bool, doc("whether by e-mail")]
    slack: Annotated[str | None, doc("the last four characters of an incoming webhook's URL; null: none", "…x7Qd")]
    digest: Annotated[str, one_of(Digest), doc("at once, daily, or not", "daily")]
    hour: Annotated[int, doc("the hour of the daily one, UTC", 7)]


NO_NOTICES = Notify(email=False, slack=None, digest=Digest.OFF, hour=7)


class StoredMember(StoredNamed):
    """A member as the store returns it."""

    email: NotRequired[str | None]
    role: Annotated[str, AfterValidator(Role)]
    notify: NotRequired[Notify]
    notifyKey: NotRequired[str]
    """The secret in the links that turn e-mail off."""


class StoredClusterOrCategory(StoredNamed):
    """The fields that clusters and categories have."""

    description: NotRequired[str | None]
    createdBy: Actor
    updatedAt: Instant


class StoredCluster(StoredClusterOrCategory):
    """A cluster as the store returns it."""

    keywords: NotRequired[list[str] | None]


class StoredCategory(StoredClusterOrCategory):
    """A category as the store returns it."""

    slug: str
    categoryId: NotRequired[Id | None]
    """The parent category's id."""
