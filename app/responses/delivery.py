"""Documents, categories and redirects as the delivery API returns them (contract: Delivery API types).

A document has the fields of its stored record, too. Responses share categories: none is changed after it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.rules.documents import StoredDocument
from app.rules.named import StoredCategory
from app.rules.publishing import Publication
from app.rules.times import wire_time

DeliveredDocument = dict[str, Any]
"""A published document, or for a caller with the permission one that is not, or one as it is now."""


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


def published_document(row: Publication) -> DeliveredDocument:
    """Returns a published document."""
    times = {"publishedAt": wire_time(row["publishedAt"]), "updatedAt": wire_time(row["updatedAt"])}
    return {**row, **times, "isPublished": True, "coverImage": _cover_image(row)}


def unpublished_document(row: StoredDocument) -> DeliveredDocument:
    """Returns a document that is not published, with its present fields."""
    nothing = {"publishedAt": None, "updatedAt": None, "wordCount": 0, "isPublished": False}
    return {**row, **nothing, "coverImage": _cover_image(row), "current": current_document(row)}


def current_document(row: StoredDocument) -> DeliveredDocument:
    """Returns a document as it is now."""
    return {**row, "updatedAt": wire_time(row["updatedAt"]), "coverImage": _cover_image(row)}


def _cover_image(row: Publication | StoredDocument) -> dict[str, str] | None:
    image = row.get("coverImageUrl")
    return {"url": image} if image else None
