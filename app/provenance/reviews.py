"""Declarations by the writer of a text, attestations by who approves it, and disclosures by its publisher.

(decisions, section 18)
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.calls import Call
from app.core.documented import Count, Timestamp, doc, one_of
from app.core.schemas.validation import word_of
from app.documents.record import StoredRevision
from app.provenance.vocabulary import DisclosureValue, WriterKind
from app.publications.rules import Publication

TOKENS = ("inputTokens", "outputTokens")


class Generation(TypedDict):
    """The writer's declaration of how a version was generated."""

    model: Annotated[str, doc("the model", "example-4")]
    provider: Annotated[str | None, doc("who provides it", "Example AI")]
    promptUrl: Annotated[str | None, doc("where the prompt is")]
    inputTokens: Annotated[int | None, doc("tokens read")]
    outputTokens: Annotated[int | None, doc("tokens written")]


class ThreadCounts(TypedDict):
    """Counts of a document's review threads, by outcome."""

    resolved: Annotated[Count, doc("threads resolved, those below too", 4)]
    accepted: Annotated[Count, doc("suggestions accepted", 2)]
    rejected: Annotated[Count, doc("suggestions rejected", 1)]


class CheckCounts(TypedDict):
    """How many entries of the list of checks passed and failed."""

    passed: Annotated[Count, doc("entries that passed", 12)]
    failed: Annotated[Count, doc("entries that failed", 1)]


class HumanReview(TypedDict):
    """The record of a person's review, as it is stored with its version and shown; it never changes."""

    sha256: Annotated[str, doc("the SHA-256 of the markdown in UTF-8, in hex", "5" * 64)]
    by: Annotated[Actor, doc("who approved it")]
    at: Annotated[Timestamp, doc("when")]
    facts: Annotated[bool, doc("whether they checked its facts", True)]
    sources: Annotated[bool, doc("whether they checked its sources", True)]
    examined: Annotated[str, doc("what they examined", "Every step, against our own bakes.")]
    responsible: Annotated[str, doc("who answers for it", "Ada Miller")]
    people: Annotated[Count, doc("words of paragraphs that a person wrote on", 4)]
    agents: Annotated[Count, doc("words of paragraphs that an agent wrote on")]
    models: Annotated[list[str], doc("the models that were declared for it", ["example-4"])]
    threads: Annotated[ThreadCounts, doc("the document's review threads")]
    checks: Annotated[CheckCounts, doc("its checks")]
    disclosure: Annotated[
        str,
        word_of(DisclosureValue),
        one_of(DisclosureValue),
        doc("what is to be disclosed of it", "ai-assisted"),
    ]


class AttributedRevision(StoredRevision):
    """A version of a document, with who wrote and reviewed it."""

    kind: NotRequired[Annotated[str, word_of(WriterKind)] | None]
    """The kind of its writer: whose its words count as."""
    generation: NotRequired[Generation | None]
    suggestedBy: NotRequired[Actor | None]
    """The agent whose suggestion was accepted."""
    review: NotRequired[HumanReview | None]
    """The record of the review by a person, once there is one."""


class StoredDisclosure(TypedDict):
    """Disclosure of a publication: use of AI, models, reviewer."""

    value: str
    models: list[str]
    reviewedBy: Actor | None
    reviewedAt: str | None
    responsible: str | None


class AgentWords(TypedDict):
    """How many words an agent wrote of what is delivered."""

    by: Actor
    words: int


class Attribution(TypedDict):
    """The provenance of a publication's text."""

    disclosure: StoredDisclosure
    agentWords: NotRequired[list[AgentWords]]


class DisclosedPublication(Publication, Attribution):
    """A publication with the provenance of its text."""


def lacking_parts(review: Mapping[str, Any] | None) -> list[str]:
    """Returns what a review lacks that a project can demand; [] where it is whole."""
    return ["review"] if review is None else [part for part in ("facts", "examined") if not review.get(part)]


def missing_of(call: Call, review: Mapping[str, Any] | None, *, required: bool) -> tuple[str, ...]:
    """Returns what an approval lacks of the record of a person's review; () where nothing is missing."""
    missing = lacking_parts(review) if required else []
    if call.is_by_agent and (required or review is not None):
        missing.append("person")
    return tuple(missing)


def disclosure_value(agents: int, review: Mapping[str, Any] | None) -> DisclosureValue:
    """Returns what is to be disclosed of a version, given its number of words by agents and its review record."""
    if not agents:
        return DisclosureValue.HUMAN_ONLY
    reviewed = review is not None and review["facts"] and review["examined"]
    return DisclosureValue.AI_ASSISTED if reviewed else DisclosureValue.AI_AUTONOMOUS


def disclosure_of(agents: int, models: Sequence[str], review: HumanReview | None) -> StoredDisclosure:
    """Returns what a publication of a version discloses."""
    return {
        "value": str(disclosure_value(agents, review)),
        "models": list(models),
        "reviewedBy": review["by"] if review else None,
        "reviewedAt": review["at"] if review else None,
        "responsible": (review["responsible"] or None) if review else None,
    }
