"""Instants and days in the reader's own time zone, which a script of the page sets in a cookie; without it in UTC."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from flask import request

from app.core.times import read_time

ZONE_COOKIE = "cw_zone"
INSTANT = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)")
"""An instant as messages of the service write it: `2026-11-23T08:38:45.686Z`. The group has `split` return it."""


def zone() -> tzinfo:
    """Returns the reader's time zone; UTC without one, or if this system does not know it."""
    name = request.cookies.get(ZONE_COOKIE, "")
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, TypeError, ValueError, OSError):
        return UTC


def local(time: str) -> datetime:
    """Returns an instant in the reader's time zone."""
    return read_time(time).astimezone(zone())


def local_text(time: str) -> str:
    """Returns an instant as a person writes it, with its zone: `23 Nov 2026, 09:38 CET`."""
    return f"{local(time):%d %b %Y, %H:%M %Z}"


def utc_text(time: str) -> str:
    """Returns an instant as a person writes it, in UTC: `23 Nov 2026, 08:38 UTC`."""
    return f"{read_time(time):%d %b %Y, %H:%M} UTC"


def write_instants(text: str, write: Callable[[str], str]) -> Iterator[str]:
    """Yields the parts of a text: an instant as `write` returns it, all else unchanged."""
    for number, part in enumerate(INSTANT.split(text)):
        try:
            yield write(part) if number % 2 else part
        except ValueError:  # not an instant, as its month is 99: part of what somebody sent
            yield part


def with_local_times(message: str) -> str:
    """Returns a message for JSON, with its instants in the reader's time zone."""
    return "".join(write_instants(message, local_text))
