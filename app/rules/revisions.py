"""What is stored of a version of a document (decisions, section 5)."""

from datetime import datetime
from typing import NotRequired

from app.rules.actors import Actor
from app.rules.documents import PublishedFields


class StoredRevision(PublishedFields):
    """A version of a document as the store returns it; its content is a body."""

    id: str
    projectId: str
    documentId: str
    version: int
    bodyId: str | None
    wordCount: int
    at: datetime
    by: Actor
    reverts: NotRequired[str]
    """The id of the token whose work it undoes."""
    undone: NotRequired[bool]
