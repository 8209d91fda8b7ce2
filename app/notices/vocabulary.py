"""Kinds of entries of the inbox, and how often notices are sent (decisions, section 19)."""

from enum import StrEnum


class WaitKind(StrEnum):
    """Why something waits for somebody (decisions, section 19)."""

    REVIEW = "review"
    CHANGES = "changes"
    THREAD = "thread"
    OVERDUE = "overdue"
    PUBLISH_FAILED = "publish_failed"
    ROUNDS = "rounds"


class Digest(StrEnum):
    """When a member is told of what waits (decisions, section 19)."""

    INSTANT = "instant"
    DAILY = "daily"
    OFF = "off"
