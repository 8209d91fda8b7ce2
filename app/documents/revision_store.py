"""The history of each document's content: one row a version, naming its body."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from bson import ObjectId

from app.core.events import Event
from app.core.store.collection import DESCENDING, Collection, object_ids
from app.core.store.types import Bson
from app.documents.history import Origin, StoredRevision
from app.documents.record import StoredDocument
from app.publications.record import PUBLISHED_FIELDS


class Revisions(Collection[StoredRevision]):
    """The versions of documents."""

    name = "revisions"

    def add(self, project_id: str, written: Iterable[tuple[StoredDocument, Event, Origin]]) -> None:
        """Stores the current versions of documents, each with the time and author of its event, in one call."""
        rows = [{**_version(document, event), **origin} for document, event, origin in written]
        self._insert_many(project_id, rows)

    def list(self, project_id: str, document_id: str, *, limit: int, offset: int) -> list[StoredRevision]:
        """Returns one page of a document's versions, the newest first."""
        condition = {"documentId": ObjectId(document_id)}
        newest = (("version", DESCENDING),)
        return self._find(project_id, condition, sort=newest, skip=offset, limit=limit)

    def get(self, project_id: str, document_id: str, version: int) -> StoredRevision | None:
        """Returns one version of a document, or None."""
        return self._find_one(project_id, {"documentId": ObjectId(document_id), "version": version})

    def find_read_before(self, project_id: str, document_id: str, version: int) -> StoredRevision | None:
        """Returns the newest version before a number that no script wrote, or None."""
        earlier: Bson = {"documentId": ObjectId(document_id), "version": {"$lt": version}, "scripted": None}
        return next(iter(self._find(project_id, earlier, sort=(("version", DESCENDING),), limit=1)), None)

    def first_versions_by(self, project_id: str, token_id: str, since: datetime) -> Sequence[tuple[str, int]]:
        """Returns the documents that a token wrote since a time, each with its first version that was not undone."""
        written = {"by.id": token_id, "undone": None, "at": {"$gte": since}}
        first = {"$group": {"_id": "$documentId", "version": {"$min": "$version"}}}
        rows = self._aggregate(project_id, written, [first, {"$sort": {"_id": 1}}])
        return [(str(row["_id"]), row["version"]) for row in rows]

    def around(self, project_id: str, firsts: Iterable[tuple[str, int]]) -> Mapping[str, Sequence[StoredRevision]]:
        """Returns the authors of each document's versions from a number on, and of the one before, without fields."""
        documents = [
            {"documentId": ObjectId(document_id), "version": {"$gte": version - 1}} for document_id, version in firsts
        ]
        found: dict[str, list[StoredRevision]] = {str(one["documentId"]): [] for one in documents}
        fields = {"documentId": 1, "version": 1, "by.id": 1, "reverts": 1}
        for row in self._find(project_id, {"$or": documents}, fields=fields):
            found[row["documentId"]].append(row)
        return found

    def mark_undone(self, project_id: str, revision_ids: Sequence[str]) -> None:
        """Marks versions as undone, so that they are undone once."""
        if revision_ids:
            where = self._where(project_id, {"_id": {"$in": object_ids(revision_ids)}})
            self._collection.update_many(where, {"$set": {"undone": True}}, session=self._session)


def _version(document: StoredDocument, event: Event) -> Bson:
    fields = {name: document.get(name) for name in PUBLISHED_FIELDS}
    version = {"documentId": document["id"], "version": document["version"], "bodyId": document.get("contentId")}
    return {**version, **fields, "wordCount": document["wordCount"], "at": event.at, "by": dict(event.by)}
