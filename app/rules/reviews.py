"""What a person attests when they approve a text, and what a publisher has to disclose (decisions, section 18)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.documented import doc
from app.rules.actors import Actor
from app.rules.documents import Call
from app.vocabulary import DisclosureValue, ReviewPart


class ThreadCounts(TypedDict):
    """What became of a document's review threads."""

    resolved: Annotated[int, doc("threads resolved, those below too", 4)]
    accepted: Annotated[int, doc("suggestions accepted", 2)]
    rejected: Annotated[int, doc("suggestions rejected", 1)]


class CheckCounts(TypedDict):
    """How many entries of the list of checks passed and failed."""

    passed: Annotated[int, doc("entries that passed", 12)]
    failed: Annotated[int, doc("entries that failed", 1)]


class StoredReview(TypedDict):
    """The record of a review as it is stored with its version."""

    sha256: str
    by: Actor
    at: datetime
    facts: bool
    sources: bool
    examined: str
    responsible: str
    people: int
    agents: int
    models: list[str]
    threads: ThreadCounts
    checks: CheckCounts
    disclosure: str


class StoredDisclosure(TypedDict):
    """What a publication says of how its text came about."""

    value: str
    models: list[str]
    reviewedBy: Actor | None
    reviewedAt: datetime | None
    responsible: str | None


UNKNOWN: StoredDisclosure = {
    "value": str(DisclosureValue.AI_AUTONOMOUS),
    "models": [],
    "reviewedBy": None,
    "reviewedAt": None,
    "responsible": None,
}
"""That of a publication from before it was kept who wrote what: nothing shows that people did."""


def missing_of(call: Call, review: Mapping[str, Any] | None, *, required: bool) -> tuple[str, ...]:
    """Returns what an approval lacks of the record of a person's review; () where nothing is missing."""
    missing: list[ReviewPart] = []
    if required:
        parts = (ReviewPart.FACTS, ReviewPart.EXAMINED)
        missing += [ReviewPart.REVIEW] if review is None else [part for part in parts if not review.get(part)]
    if call.is_by_agent and (required or review is not None):
        missing.append(ReviewPart.PERSON)
    return tuple(map(str, missing))


def disclosure_value(agents: int, review: Mapping[str, Any] | None) -> DisclosureValue:
    """Returns what is to be disclosed of a version with so many words of agents, and with this record of its review."""
    if not agents:
        return DisclosureValue.HUMAN_ONLY
    reviewed = review is not None and review["facts"] and review["examined"]
    return DisclosureValue.AI_ASSISTED if reviewed else DisclosureValue.AI_AUTONOMOUS


def disclosure_of(agents: int, models: Sequence[str], review: StoredReview | None) -> StoredDisclosure:
    """Returns what a publication of a version discloses."""
    return {
        "value": str(disclosure_value(agents, review)),
        "models": list(models),
        "reviewedBy": review["by"] if review else None,
        "reviewedAt": review["at"] if review else None,
        "responsible": (review["responsible"] or None) if review else None,
    }
