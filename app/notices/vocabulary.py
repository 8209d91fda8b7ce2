"""Kinds of entries of the inbox, and how often notices are sent (decisions, section 19)."""

from enum import StrEnum

from app.core.vocabulary import TokenKind

CALENDAR = "calendar"
"""The kind of a token that opens one member's calendar alone."""
LISTED_TOKEN_KINDS = (*TokenKind, CALENDAR)
"""The kinds of tokens that a list of tokens has."""


class WaitKind(StrEnum):
    """Why something waits for somebody (decisions, section 19)."""

    REVIEW = "review"
    CHANGES = "changes"
    THREAD = "thread"
    MENTION = "mention"
    ASSIGNED = "assigned"
    OVERDUE = "overdue"
    PUBLISH_FAILED = "publish_failed"
    ROUNDS = "rounds"


class Digest(StrEnum):
    """When a member is told of what waits (decisions, section 19)."""

    INSTANT = "instant"
    DAILY = "daily"
    OFF = "off"
