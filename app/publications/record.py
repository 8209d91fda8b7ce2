"""The fields of a document that are published, and what its record says of its publication."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from app.core.documented import Id, Version
from app.core.times import Instant


class PublishedFields(TypedDict):
    """The fields of a document that are published: when one of them changes, so does the version."""

    title: str
    slug: str
    subtitle: NotRequired[str | None]
    metaTitle: NotRequired[str | None]
    metaDescription: NotRequired[str | None]
    excerpt: NotRequired[str | None]
    coverImageUrl: NotRequired[str | None]
    categoryId: NotRequired[Id | None]


PUBLISHED_FIELDS = tuple(PublishedFields.__annotations__)


class Published(TypedDict):
    """The fields of a publication in the document's record; the whole of it is in `publications`."""

    version: Version
    slug: str
    markdownId: str
    categoryId: str | None


class PastSlug(TypedDict):
    """A slug that a document was delivered under, and until when."""

    slug: str
    at: Instant
