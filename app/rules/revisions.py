"""What is stored of a version of a document (decisions, section 5)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.rules.actors import Actor
from app.rules.documents import PublishedFields


class Origin(TypedDict):
    """How a version came about, where it was not written by somebody who read the one before."""

    scripted: NotRequired[bool]
    """Whether `plan`, `import` or another command wrote it."""
    reverts: NotRequired[str]
    """The id of the token whose work it undoes."""
    revertsTo: NotRequired[int]
    """The version that it goes back to then."""
    undone: NotRequired[bool]
    """Whether it was undone, or undoes others."""


class StoredRevision(PublishedFields, Origin):
    """A version of a document as the store returns it; its content is a body."""

    id: str
    projectId: str
    documentId: str
    version: int
    bodyId: str | None
    wordCount: int
    at: datetime
    by: Actor
