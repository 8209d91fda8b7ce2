"""The history of each document's content: one row a version, naming its body."""

from collections.abc import Mapping
from typing import Any

from app.store.collection import Collection

PUBLISHED_FIELDS = (
    *("title", "slug", "subtitle", "metaTitle", "metaDescription"),
    *("excerpt", "coverImageUrl", "categoryId"),
)
"""The fields of a document that are published: when one of them changes, so does the version."""


class Revisions(Collection):
    """The versions of documents."""

    name = "revisions"

    def add(self, project_id: str, document: Mapping[str, Any], *, at: Any, by: Mapping[str, Any]) -> None:
        """Keeps a document's present version."""
        kept = {name: document.get(name) for name in PUBLISHED_FIELDS}
        version = {"documentId": document["id"], "version": document["version"], "bodyId": document.get("contentId")}
        self._insert(project_id, {**version, **kept, "wordCount": document["wordCount"], "at": at, "by": dict(by)})
