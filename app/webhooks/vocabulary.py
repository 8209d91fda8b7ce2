"""The statuses of a message to a webhook."""

from enum import StrEnum


class DeliveryStatus(StrEnum):
    """How far a webhook's delivery got (decisions, section 9)."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
