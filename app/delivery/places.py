"""Cursors of lists: places in the order of publication, and after it in that of creation (decisions, section 21)."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_FORM = struct.Struct(">12s?q12s")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class ListPlace:
    """The place after a document in a list."""

    published: bool
    """True if it is published: lists have others after all that are."""
    at: datetime
    """When it was published; of others, when it was created."""
    id: str

    def encode(self, project_id: str) -> str:
        """Returns the place as callers get it."""
        milliseconds = (self.at - _EPOCH) // _MILLISECOND
        packed = _FORM.pack(bytes.fromhex(project_id), self.published, milliseconds, bytes.fromhex(self.id))
        return base64.urlsafe_b64encode(packed).decode()


def read_place(project_id: str, text: str) -> ListPlace | None:
    """Returns the place that a cursor names; None where it is none of the project."""
    try:
        project, published, milliseconds, last = _FORM.unpack(base64.b64decode(text, altchars=b"-_", validate=True))
        at = _EPOCH + milliseconds * _MILLISECOND
    except (binascii.Error, ValueError, OverflowError, struct.error):
        return None
    return ListPlace(published, at, last.hex()) if project.hex() == project_id else None
