"""Whether the service is there, as callers see it (contract: Health)."""

from app.records.types import Record, string


class HealthRecord(Record):
    """A sign of life."""

    status = string("`ok` or `ready`", example="ok")
