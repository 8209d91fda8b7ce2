"""How instants are written: ISO 8601 with milliseconds and a Z (contract: Conventions)."""

import re
from calendar import month_name, monthrange
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from marshmallow import ValidationError
from pydantic import PlainSerializer, PlainValidator

DAY_SECONDS = 86_400
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*(?:Z|[+-]\d{2}(?::?[0-5]\d){0,2}(?:\.\d+)?)")
"""Pattern of what `fromisoformat` does not check in a timestamp: the separator, and an offset's minutes below 60."""


def missing_day(text: str) -> str | None:
    """Returns why the day that a text begins with, like `2026-11-31`, does not exist; None for other texts."""
    match = _DAY.match(text)
    if not match:
        return None
    year, month, day = map(int, match.groups())
    if not 1 <= month <= 12:
        return "A year has 12 months."
    days = monthrange(year, month)[1]
    name = f"February {year}" if month == 2 else month_name[month]
    return None if 1 <= day <= days else f"{name} has {days} days."


def timestamp(value: str) -> None:
    """Checks for an ISO 8601 timestamp that states its offset from UTC."""
    try:
        datetime.fromisoformat(value).astimezone(UTC)  # which may be before the year 1
        if not _TIMESTAMP.fullmatch(value):
            raise ValueError
    except (ValueError, OverflowError):
        says = missing_day(value) or "Must be a timestamp with its offset, like 2027-01-31T09:00:00Z."
        raise ValidationError(says) from None


def wire_time(instant: datetime) -> str:
    """Returns an aware instant as callers see it, like `2027-01-31T09:00:00.000Z`."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns data with its times as texts."""
    return {name: wire_time(value) if isinstance(value, datetime) else value for name, value in data.items()}


def read_time(text: str) -> datetime:
    """Returns the instant that an ISO 8601 timestamp with an offset names, in UTC, cut to milliseconds."""
    instant = datetime.fromisoformat(text).astimezone(UTC)
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def _from_line(text: object) -> datetime:
    try:
        timestamp(str(text))
        return read_time(str(text))
    except ValidationError as error:
        raise ValueError(str(error)) from None


Instant = Annotated[datetime, PlainValidator(_from_line), PlainSerializer(wire_time)]
"""An instant of a stored record, as a line of an export has it."""
