"""Documents and categories as the delivery API returns them (contract: Delivery API types).

Unset text is None. Responses share these objects, so none is changed after it was filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.rules.times import wire_time

UNPUBLISHED_BODY = ""
"""`html` and `markdown` of a document that is not published."""


@dataclass(slots=True)
class DeliveredCategory:
    """A category, with its parent."""

    id: str
    name: str
    slug: str
    description: str | None
    category: DeliveredCategory | None = None


@dataclass(slots=True)
class CoverImage:
    """A document's cover image."""

    url: str


@dataclass(slots=True)
class DeliveredDocument:
    """A document; `html` and `markdown` are filled in where they are asked for."""

    id: str
    title: str
    slug: str
    subtitle: str | None
    metaTitle: str | None
    metaDescription: str | None
    excerpt: str | None
    coverImage: CoverImage | None
    category: DeliveredCategory | None
    isPublished: bool
    publishedAt: str | None
    html: str = UNPUBLISHED_BODY
    markdown: str = UNPUBLISHED_BODY


Categories = Mapping[str, DeliveredCategory]


def delivered_categories(rows: Iterable[Mapping[str, Any]]) -> dict[str, DeliveredCategory]:
    """Returns stored categories as callers see them, by id and in the order of the rows, each with its parent."""
    parents = {row["id"]: row.get("categoryId") for row in rows}
    made = {
        row["id"]: DeliveredCategory(row["id"], row["name"], row["slug"], row.get("description") or None)
        for row in rows
    }
    for category_id, category in made.items():
        category.category = made.get(parents[category_id])
    return made


def delivered_document(row: Mapping[str, Any], categories: Categories) -> DeliveredDocument:
    """Returns a document as callers see it, still without bodies.

    `row` has `id`, and either the snapshot that publishing made, or the current fields.
    """
    shown = row.get("snapshot") or row
    image, published_at = shown.get("coverImageUrl"), shown.get("publishedAt")
    return DeliveredDocument(
        row["id"],
        shown["title"],
        shown["slug"],
        shown.get("subtitle") or None,
        shown.get("metaTitle") or None,
        shown.get("metaDescription") or None,
        shown.get("excerpt") or None,
        CoverImage(image) if image else None,
        categories.get(shown.get("categoryId") or ""),
        shown is not row,
        wire_time(published_at) if published_at else None,
    )
