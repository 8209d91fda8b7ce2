"""What is stored of a version of a document (decisions, section 5)."""

from collections.abc import Mapping
from typing import Any, NotRequired

from app.core.actors import Actor
from app.core.documented import Count, Id, Version
from app.core.times import Instant
from app.publications.record import PublishedFields

Origin = Mapping[str, Any]
"""How a version came about: what features store with it, and whether it is `scripted`."""


class StoredRevision(PublishedFields):
    """A version of a document as the store returns it; its content is a body."""

    id: str
    projectId: str
    documentId: Id
    version: Version
    bodyId: Id | None
    wordCount: Count
    at: Instant
    by: Actor
    scripted: NotRequired[bool]
    """True if `plan`, `import` or another command wrote it."""
