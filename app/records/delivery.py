"""Documents and categories as the delivery API returns them (contract: Delivery API types).

Unset text is None. Responses share these objects, so none is changed after it was filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.rules.documents import DeliveryRow, Snapshot
from app.rules.named import StoredCategory
from app.rules.times import wire_time, wire_time_or_none

NOT_READ = ""
"""`html` and `markdown` where they are not selected, or the document is not published."""


@dataclass(slots=True)
class DeliveredCategory:
    """A category, with its parent."""

    id: str
    name: str
    slug: str
    description: str | None
    category: DeliveredCategory | None = None
    children: list[DeliveredCategory] = field(default_factory=list)


@dataclass(frozen=True)
class DeliveredRedirect:
    """A slug that a document had, and its present one."""

    from_: str
    to: str


@dataclass(slots=True)
class DeliveredAuthor:
    """The member who wrote a document."""

    name: str


@dataclass(slots=True)
class CoverImage:
    """A document's cover image."""

    url: str


@dataclass(slots=True)
class DeliveredTexts:
    """What a document and its preview have in common."""

    title: str
    slug: str
    subtitle: str | None
    metaTitle: str | None
    metaDescription: str | None
    excerpt: str | None
    coverImage: CoverImage | None


@dataclass(slots=True)
class DeliveredPreview(DeliveredTexts):
    """A document as it is now; `html` and `markdown` are filled in where they are selected."""

    updatedAt: str
    version: int
    html: str | None = NOT_READ
    markdown: str = NOT_READ


@dataclass(slots=True)
class DeliveredDocument(DeliveredTexts):
    """A document; what takes another read is filled in where it is selected."""

    id: str
    category: DeliveredCategory | None
    isPublished: bool
    publishedAt: str | None
    updatedAt: str | None
    html: str = NOT_READ
    markdown: str = NOT_READ
    author: DeliveredAuthor | None = None
    wordCount: int = 0
    preview: DeliveredPreview | None = None
    related: Mapping[str, list[DeliveredDocument]] = field(default_factory=dict)
    """The lists of related documents by response key."""


@dataclass(frozen=True)
class DeliveredPage:
    """One page of documents; lists by response key, and counts where they are selected."""

    documents: Mapping[str, list[DeliveredDocument]]
    totalCount: int
    hasNextPage: bool


Categories = Mapping[str, DeliveredCategory]


def delivered_categories(rows: Sequence[StoredCategory]) -> dict[str, DeliveredCategory]:
    """Returns stored categories as callers see them, by id and in the order of the rows.

    Each has its parent, and its children in the same order.
    """
    parents = {row["id"]: row.get("categoryId") for row in rows}
    made = {
        row["id"]: DeliveredCategory(row["id"], row["name"], row["slug"], row.get("description") or None)
        for row in rows
    }
    for category_id, category in made.items():
        category.category = made.get(parents[category_id] or "")
        if category.category is not None:
            category.category.children.append(category)
    return made


def delivered_document(row: DeliveryRow, categories: Categories) -> DeliveredDocument:
    """Returns a document as callers see it, still without bodies.

    `row` has `id`, and either the snapshot that publishing made, or the current fields.
    """
    snapshot = row.get("snapshot")
    shown = snapshot or row
    return DeliveredDocument(
        **_shared_fields(shown),
        id=row["id"],
        category=categories.get(shown.get("categoryId") or ""),
        isPublished=snapshot is not None,
        publishedAt=wire_time_or_none(snapshot and snapshot["publishedAt"]),
        updatedAt=wire_time_or_none(snapshot and snapshot.get("updatedAt")),
    )


def delivered_preview(row: DeliveryRow) -> DeliveredPreview:
    """Returns a document as it is now, still without bodies; `row` has its present fields."""
    return DeliveredPreview(**_shared_fields(row), updatedAt=wire_time(row["updatedAt"]), version=row["version"])


def _shared_fields(shown: DeliveryRow | Snapshot) -> dict[str, Any]:
    """Returns the fields that a document and its preview have in common."""
    image = shown.get("coverImageUrl")
    return {
        "title": shown["title"],
        "slug": shown["slug"],
        "subtitle": shown.get("subtitle") or None,
        "metaTitle": shown.get("metaTitle") or None,
        "metaDescription": shown.get("metaDescription") or None,
        "excerpt": shown.get("excerpt") or None,
        "coverImage": CoverImage(image) if image else None,
    }
