"""Where the former addresses of documents lead (decisions, section 15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from app.fields.slugs import MAX_PAST_SLUGS

if TYPE_CHECKING:
    from app.rules.documents import StoredDocument


class PastSlug(TypedDict):
    """A slug that a document was delivered under, and until when."""

    slug: str
    at: datetime


class LeftSlug(TypedDict):
    """A past slug of a document that is delivered, with the slug that it is delivered under now."""

    slug: str
    to: str


def past_slugs(document: StoredDocument, slug: str | None, now: datetime) -> list[PastSlug]:
    """Returns the past slugs of a document that is delivered under `slug` from now on, the latest first.

    None for a document that is not delivered any more.
    """
    known, snapshot = document.get("pastSlugs") or [], document.get("snapshot")
    if snapshot:
        left = snapshot["slug"]
        known = [PastSlug(slug=left, at=now), *(one for one in known if one["slug"] != left)]
    return [one for one in known if one["slug"] != slug][:MAX_PAST_SLUGS]


def redirects(left: Iterable[LeftSlug], delivered: Iterable[str]) -> Mapping[str, str]:
    """Returns the present slug for each past one.

    `left` are past slugs, those that were left last first; `delivered` are those of them that a document is delivered
    under. Of several documents that left a slug, the latest counts.
    """
    found: dict[str, str] = {}
    taken = set(delivered)
    for one in left:
        if one["slug"] not in taken:
            found.setdefault(one["slug"], one["to"])
    return found
