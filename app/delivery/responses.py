"""CategoryTree, redirects and authors as the delivery API returns them (contract: Delivery API types).

Responses share categories: none is changed after it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.categories.rules import StoredCategory


@dataclass(slots=True)
class DeliveredCategory:
    """A category, with its parent."""

    id: str
    name: str
    slug: str
    description: str | None
    category: DeliveredCategory | None = None
    children: list[DeliveredCategory] = field(default_factory=list)

    @property
    def parent(self) -> DeliveredCategory | None:
        return self.category

    def subtree(self) -> Iterator[DeliveredCategory]:
        """Yields the category and all below it."""
        yield self
        for child in self.children:
            yield from child.subtree()


@dataclass(frozen=True)
class DeliveredAuthor:
    """Who wrote a document."""

    id: str
    name: str
    slug: str
    bio: str | None
    image_url: str | None

    def shown(self) -> dict[str, str | None]:
        """Returns the author as JSON shows one."""
        own = {"id": self.id, "name": self.name, "slug": self.slug}
        return {**own, "bio": self.bio, "imageUrl": self.image_url}


@dataclass(frozen=True)
class DeliveredImage:
    """A cover image; a feature that knows more of one has a subclass."""

    url: str
    type: str | None = None
    bytes: int | None = None

    def shown(self) -> dict[str, Any]:
        """Returns the image as JSON shows one."""
        return {"url": self.url}


@dataclass(frozen=True)
class DeliveredRedirect:
    """A slug that a document had, and its present one."""

    from_: str
    to: str


CategoryTree = Mapping[str, DeliveredCategory]


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
