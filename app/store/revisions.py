"""The history of each document's content: one row a version, naming its body."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bson import ObjectId

from app.rules.documents import PUBLISHED_FIELDS
from app.rules.events import Event
from app.store.collection import DESCENDING, Collection, Record, object_ids
from app.store.indexes import REVISIONS_BY_VERSION


class Revisions(Collection[Record]):
    """The versions of documents."""

    name = "revisions"

    def add(self, project_id: str, document: Mapping[str, Any], *, at: datetime, by: Mapping[str, Any]) -> None:
        """Stores a document's current version."""
        self._insert(project_id, _version(document, at, by))

    def add_many(self, project_id: str, made: Iterable[tuple[Mapping[str, Any], Event]]) -> None:
        """Stores the current versions of documents, each with the time and author of its event."""
        self._insert_many(project_id, [_version(document, event.at, event.by) for document, event in made])

    def list(self, project_id: str, document_id: str, *, limit: int, offset: int) -> list[Record]:
        """Returns one page of a document's versions, the newest first."""
        condition = {"documentId": ObjectId(document_id)}
        newest = (("version", DESCENDING),)
        return self._find(project_id, condition, sort=newest, skip=offset, limit=limit, index=REVISIONS_BY_VERSION)

    def get(self, project_id: str, document_id: str, version: int) -> Record | None:
        """Returns one version of a document, or None."""
        return self._find_one(project_id, {"documentId": ObjectId(document_id), "version": version})

    def word_counts(self, project_id: str, versions: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """Returns how many words each of some versions of documents has, in one read."""
        wanted = set(versions)
        if not wanted:
            return {}
        ids, numbers = object_ids({one for one, _ in wanted}), sorted({number for _, number in wanted})
        condition = {"documentId": {"$in": ids}, "version": {"$in": numbers}}
        fields = {"documentId": 1, "version": 1, "wordCount": 1}
        rows = self._find(project_id, condition, fields=fields, index=REVISIONS_BY_VERSION)
        return {(row["documentId"], row["version"]): row["wordCount"] for row in rows}


def _version(document: Mapping[str, Any], at: datetime, by: Mapping[str, Any]) -> Record:
    fields = {name: document.get(name) for name in PUBLISHED_FIELDS}
    version = {"documentId": document["id"], "version": document["version"], "bodyId": document.get("contentId")}
    return {**version, **fields, "wordCount": document["wordCount"], "at": at, "by": dict(by)}
