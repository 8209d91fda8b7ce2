"""Instants in messages, and how one is written where no script shows it in the reader's own time zone."""

import re
from collections.abc import Callable, Iterator

from app.rules.times import read_time

INSTANT = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)")
"""An instant as messages of the service have it: `2026-11-23T08:38:45.686Z`. The group has `split` return it."""


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


def with_utc_times(message: str) -> str:
    """Returns a message for JSON, with its instants in UTC; pages show them in the reader's zone (`message_html`)."""
    return "".join(write_instants(message, utc_text))
