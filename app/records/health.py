"""Whether the service is there, as callers see it (contract: Health)."""

from app.records.kinds import Record, text


class HealthRecord(Record):
    """A sign of life."""

    status = text("`ok` or `ready`", example="ok")
