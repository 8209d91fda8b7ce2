"""The sources of documents, in records of their own; their events are in the document's (decisions, section 22)."""

from collections.abc import Iterable

from bson import ObjectId

from app.core.errors import WriteConflict
from app.core.store.collection import Collection, difference, object_id, object_ids
from app.core.store.store import Store
from app.sources.rules import StoredSource


def delete_sources(store: Store, project_id: str, document_id: str) -> None:
    """Deletes the sources of a document that is purged."""
    store[SourceRecords].delete_of(project_id, document_id)


class SourceRecords(Collection[StoredSource]):
    """The sources of a project's documents."""

    name = "sources"

    def list(self, project_id: str, document_ids: Iterable[str]) -> list[StoredSource]:
        """Returns the sources of documents by document and number."""
        order = (("documentId", 1), ("number", 1))
        return self._find(project_id, {"documentId": {"$in": object_ids(document_ids)}}, sort=order)

    def get(self, project_id: str, document_id: str, source_id: str) -> StoredSource | None:
        """Returns a source of a document, or None."""
        return self._find_one(project_id, {"_id": object_id(source_id), "documentId": object_id(document_id)})

    def add_many(self, project_id: str, sources: Iterable[StoredSource]) -> None:
        """Adds sources, inside a transaction."""
        self._insert_many(project_id, sources)

    def change(self, project_id: str, before: StoredSource, after: StoredSource) -> StoredSource:
        """Writes what differs, inside a transaction; raises `WriteConflict` when it changed since it was read."""
        unchanged = {"_id": ObjectId(before["id"]), "rev": before["rev"]}
        update = {"$set": difference(before, after), "$inc": {"rev": 1}}
        if self._update_one(project_id, unchanged, update, {"_id": 1}) is None:
            raise WriteConflict
        return {**after, "rev": before["rev"] + 1}

    def delete(self, project_id: str, source: StoredSource) -> None:
        """Deletes a source, inside a transaction; raises `WriteConflict` when it changed since it was read."""
        if self._delete_one(project_id, {"_id": ObjectId(source["id"]), "rev": source["rev"]}) is None:
            raise WriteConflict
