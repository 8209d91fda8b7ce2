"""What is stored of a version of a document (decisions, section 5)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.actors import Actor


class StoredRevision(TypedDict):
    """A version of a document as the store returns it; its content is a body."""

    id: str
    projectId: str
    documentId: str
    version: int
    bodyId: str | None
    title: str
    slug: str
    subtitle: str | None
    metaTitle: str | None
    metaDescription: str | None
    excerpt: str | None
    coverImageUrl: str | None
    categoryId: str | None
    wordCount: int
    at: datetime
    by: Actor
    reverts: NotRequired[str]
    """The id of the token whose work it undoes."""
    undone: NotRequired[bool]
