"""Limits of budgets, and reasons why a document was not reverted (decisions, section 13)."""

from enum import StrEnum


class BudgetLimit(StrEnum):
    """The limits of a token's budget, by the names of their keys (decisions, section 13)."""

    WRITES = "writesPerHour"
    PUBLISHES = "publishesPerDay"


class SkipReason(StrEnum):
    """Why a document was not reverted, or not completely (decisions, section 13)."""

    CHANGED_SINCE = "changed_since"
    CREATED_SINCE = "created_since"
    FROZEN_STATUS = "frozen_status"
    SLUG_TAKEN = "slug_taken"
    PUBLISHED_SINCE = "published_since"
