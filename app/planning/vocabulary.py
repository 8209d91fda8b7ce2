"""The outcomes of a piece of a plan."""

from enum import StrEnum


class PieceOutcome(StrEnum):
    """What became of a piece of a plan (decisions, section 14)."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
