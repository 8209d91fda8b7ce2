"""Cursors: places in the feed of a project, and how long a page is (decisions, sections 8 and 9)."""

import base64
import binascii
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import orjson

CURSOR_BYTES = 12 + 6
"""The id of the project, and the sequence number of an event."""

MOST_BYTES = 65_536
"""Maximum size of a page over MCP, unless its first event is larger."""


def fitting(events: Sequence[Any]) -> int:
    """Returns how many events, from the first on, fit into a page over MCP; one always does."""
    sizes = accumulate(len(orjson.dumps(one)) + 1 for one in events)
    return max(1, sum(size <= MOST_BYTES for size in sizes))


def cursor_of(project_id: str, sequence: int) -> str:
    """Returns the cursor of the place after an event: the project's id and the event's sequence number."""
    return base64.urlsafe_b64encode(bytes.fromhex(project_id) + sequence.to_bytes(6, "big")).decode()


def read_cursor(project_id: str, cursor: str) -> int | None:
    """Returns the sequence number in a cursor, None for a text that is not a cursor of the project."""
    try:
        place = base64.b64decode(cursor, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    return int.from_bytes(place[12:], "big") if len(place) == CURSOR_BYTES and place[:12].hex() == project_id else None
