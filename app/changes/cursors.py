"""Cursors: places in the order in which what a project delivers changed (decisions, section 21)."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass

from app.publications.store import Place

_FORM = struct.Struct(">12sQ12sQQQQQ")
_NO_ID = bytes(12)


@dataclass(frozen=True)
class ChangesCursor:
    """How far somebody has read."""

    number: int = 0
    """The number up to which everything was read; with `last`, that of the last record that was read."""
    last: str | None = None
    """The id of that record, where more records follow; None where there were none."""
    start: int = 0
    """The number at which a first reading began: removals before it are left out."""
    revision: int = 0
    """The delivery revision that was read."""
    at: int = 0
    """The time in seconds since which removals are needed."""
    categories: int = -1
    members: int = -1
    """The changes of categories and members that were seen."""

    @property
    def place(self) -> Place:
        """The place after which changes are read."""
        return self.number, self.last

    def encode(self, project_id: str) -> str:
        """Returns the cursor as callers get it."""
        last = bytes.fromhex(self.last) if self.last else _NO_ID
        seen = self.categories + 1, self.members + 1
        packed = _FORM.pack(bytes.fromhex(project_id), self.number, last, self.start, self.revision, self.at, *seen)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def read_cursor(project_id: str, text: str) -> ChangesCursor | None:
    """Returns the cursor that a text is; None where it is none of the project."""
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        project, number, last, start, revision, at, categories, members = _FORM.unpack(packed)
    except (binascii.Error, ValueError, struct.error):
        return None
    if project.hex() != project_id:
        return None
    last_id = last.hex() if last != _NO_ID else None
    return ChangesCursor(number, last_id, start, revision, at, categories - 1, members - 1)
