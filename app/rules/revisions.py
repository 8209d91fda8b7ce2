"""What is stored of a version of a document, and what its writer says that they used (decisions, sections 5 and 18)."""

from datetime import datetime
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.documented import doc
from app.rules.actors import Actor
from app.rules.documents import PublishedFields
from app.rules.reviews import HumanReview

TOKENS = ("inputTokens", "outputTokens")


class Generation(TypedDict):
    """What the writer of a version says that they used."""

    model: Annotated[str, doc("the model", "example-4")]
    provider: Annotated[str | None, doc("who provides it", "Example AI")]
    promptUrl: Annotated[str | None, doc("where the prompt is")]
    inputTokens: Annotated[int | None, doc("tokens read")]
    outputTokens: Annotated[int | None, doc("tokens written")]


class Origin(TypedDict):
    """How a version came about."""

    kind: NotRequired[str]
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
    documentId: str
    version: int
    bodyId: str | None
    wordCount: int
    at: datetime
    by: Actor
    review: NotRequired[HumanReview | None]
    """The record of the review by a person, once there is one."""


def declared_tokens(generation: Generation | None) -> dict[str, int]:
    """Returns the numbers of tokens that somebody declared, for an event."""
    counts = {name: generation.get(name) for name in TOKENS} if generation else {}
    return {name: number for name, number in counts.items() if isinstance(number, int)}
