"""The refusal of a cursor that is too old."""

from app.core.errors import Refusal


class CursorExpired(Refusal, status=410):
    """The cursor is older than the oldest event in the feed: start again without `after`."""
