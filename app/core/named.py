"""Stored fields of members, clusters and categories, which other records name (decisions, sections 2 and 4)."""

import unicodedata

from app.core.records import Stored
from app.core.times import Instant


def name_key(name: str) -> str:
    """Returns what names are compared by: the name composed, trimmed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


def lower_id(record_id: str | None) -> str | None:
    return record_id.lower() if record_id else None


class StoredNamed(Stored):
    """The fields that all of them have."""

    name: str
    deletedAt: Instant | None
