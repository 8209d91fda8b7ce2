"""The outcomes of a piece of a plan."""

from enum import StrEnum


class PieceOutcome(StrEnum):
    """Outcome of a piece of a plan (decisions, section 14)."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
