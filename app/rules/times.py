"""How instants are written: ISO 8601 with milliseconds and a Z (contract: Conventions)."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, PlainSerializer

DAY_SECONDS = 86_400


def wire_time(instant: datetime) -> str:
    """Returns an aware instant as callers see it, like `2027-01-31T09:00:00.000Z`."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def wire_time_or_none(instant: datetime | None) -> str | None:
    """Returns an instant as callers see it, and None for none."""
    return None if instant is None else wire_time(instant)


def read_time(text: str) -> datetime:
    """Returns the instant that an ISO 8601 timestamp with an offset names, in UTC, cut to milliseconds."""
    return _stored(datetime.fromisoformat(text))


def _stored(instant: datetime) -> datetime:
    try:
        instant = instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("must be between the years 1 and 9999 in UTC") from None
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


Instant = Annotated[AwareDatetime, AfterValidator(_stored), PlainSerializer(wire_time)]
"""An instant of a stored record, as a line of an export has it."""
