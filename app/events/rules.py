"""Cursors: places in the feed of a project (decisions, section 9)."""

import base64
import binascii

CURSOR_BYTES = 12 + 6
"""The id of the project, and the sequence number of an event."""


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
