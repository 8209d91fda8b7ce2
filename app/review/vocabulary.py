"""Levels, states and outcomes of review threads (decisions, section 17)."""

from enum import StrEnum


class ThreadLevel(StrEnum):
    """How much a remark matters; a `must` stands in the way of publishing (decisions, section 17)."""

    MUST = "must"
    SHOULD = "should"
    NOTE = "note"


class ThreadState(StrEnum):
    """The states of a review thread (decisions, section 17)."""

    OPEN = "open"
    ANSWERED = "answered"
    RESOLVED = "resolved"


class ThreadOutcome(StrEnum):
    """Outcome of a suggestion (decisions, section 17)."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
