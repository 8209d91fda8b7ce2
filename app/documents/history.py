"""What is stored of a version of a document (decisions, section 5)."""

from typing import Annotated, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import Count, Id, Version
from app.core.times import Instant
from app.provenance.reviews import Generation, HumanReview
from app.provenance.vocabulary import WriterKind
from app.publications.record import PublishedFields


class Origin(TypedDict):
    """How a version came about."""

    kind: NotRequired[Annotated[str, AfterValidator(WriterKind)] | None]
    """Whether its words count as an agent's or a person's."""
    generation: NotRequired[Generation | None]
    suggestedBy: NotRequired[Actor | None]
    """The agent whose suggestion was accepted."""
    scripted: NotRequired[bool]
    """Whether `plan`, `import` or another command wrote it."""
    reverts: NotRequired[str]
    """The id of the token whose work it undoes."""
    revertsTo: NotRequired[int]
    """The version that it restores."""
    undone: NotRequired[bool]
    """Whether it was undone, or undoes other versions."""


class StoredRevision(PublishedFields, Origin):
    """A version of a document as the store returns it; its content is a body."""

    id: str
    projectId: str
    documentId: Id
    version: Version
    bodyId: Id | None
    wordCount: Count
    at: Instant
    by: Actor
    review: NotRequired[HumanReview | None]
    """The record of the review by a person, once there is one."""
