"""Whole projects, read in one pass at one instant, and written piece by piece (decisions, section 10)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bson import ObjectId

from app.store.collection import Record, from_bson, insert_once, new_id, object_id, object_ids, to_bson

if TYPE_CHECKING:
    from app.store.store import Store

ONCE = {"bodies": ("_id",), "revisions": ("projectId", "documentId", "version")}
"""What makes a record the same one, where an import that was interrupted is run again."""

AT_ONCE = 100
"""Records that are fetched at once while a project is read."""


class Transfers:
    """Reads and writes the records of a project as they are."""

    def __init__(self, store: Store) -> None:
        self._database = store.database
        self._session = store.session

    @contextmanager
    def at_one_instant(self) -> Iterator[Transfers]:
        """Yields a reader that sees the database as it was at its first read."""
        reader = object.__new__(Transfers)
        with self._database.client.start_session(snapshot=True) as session:
            reader._database, reader._session = self._database, session
            yield reader

    def records(self, project_id: str, collection: str) -> Iterator[Record]:
        """Yields every record of a project in a collection that is not a deleted one's tombstone, by id."""
        gone = {} if collection in ("members", "documents") else {"deletedAt": None}
        return map(from_bson, self._by(collection, {"projectId": ObjectId(project_id), **gone}, "_id"))

    def documents(self, project_id: str) -> Iterator[tuple[Record, list[Record], Iterator[Record]]]:
        """Yields every document with its versions and its texts, by id; the texts are to be read before the next.

        Three cursors go on side by side, so that nothing is held but one document's versions and one text.
        """
        mine = {"projectId": ObjectId(project_id)}
        revisions = _Groups(self._by("revisions", mine, "documentId", "version"))
        bodies = _Groups(self._by("bodies", mine, "documentId", "_id"))
        for document in self._by("documents", mine, "_id"):
            history = [from_bson(revision) for revision in revisions.of(document["_id"])]
            yield from_bson(document), history, map(from_bson, bodies.of(document["_id"]))

    def _by(self, collection: str, condition: Record, *keys: str) -> Iterator[Record]:
        order = [(key, 1) for key in ("projectId", *keys)]
        found = self._database[collection].find(condition, {"outbox": 0, "words": 0}, session=self._session)
        rows: Iterator[Record] = found.sort(order).batch_size(AT_ONCE)
        return rows

    def new_ids(self, project_id: str, collection: str, old: Iterable[str]) -> dict[str, str]:
        """Returns the ids under which records are, or will be, kept in a project: the same where they are free.

        Where an id is another project's, a new one is derived from it, the same one whenever it is asked for.
        """
        derived = {one: _derived(project_id, one) for one in old}
        wanted = [object_id(one) for pair in derived.items() for one in pair]
        rows = self._database[collection].find({"_id": {"$in": wanted}}, {"projectId": 1}, session=self._session)
        owner = {str(row["_id"]): str(row["projectId"]) for row in rows}
        return {
            one: new if owner.get(new) == project_id or owner.get(one, project_id) != project_id else one
            for one, new in derived.items()
        }

    def keep(self, project_id: str, collection: str, records: Sequence[Mapping[str, Any]]) -> None:
        """Keeps records that belong to documents that are still to come; those that are there already stay."""
        rows = [to_bson({"id": new_id(), **record, "projectId": project_id}) for record in records]
        if rows:
            insert_once(self._database[collection], rows, ONCE[collection])

    def kept(self, project_id: str, body_ids: Iterable[str]) -> set[str]:
        """Returns those of the ids that are texts of the project, without reading one."""
        wanted = {"projectId": ObjectId(project_id), "_id": {"$in": object_ids(body_ids)}}
        return {str(row["_id"]) for row in self._database.bodies.find(wanted, {"_id": 1})}

    def forget(self, project_id: str, document_id: str) -> None:
        """Deletes the texts and versions of a document that was refused, or is deleted for good."""
        where = {"projectId": ObjectId(project_id), "documentId": ObjectId(document_id)}
        for collection in ("revisions", "bodies"):
            self._database[collection].delete_many(where, session=self._session)


class _Groups:
    """Rows that come sorted by document, handed out a document at a time."""

    def __init__(self, rows: Iterator[Record]) -> None:
        self._groups = groupby(rows, key=lambda row: row["documentId"])
        self._next: tuple[ObjectId, Iterator[Record]] | None = next(self._groups, None)

    def of(self, document_id: ObjectId) -> Iterator[Record]:
        """Yields the rows of a document; those of documents before it, which are gone, are passed over."""
        while self._next is not None and self._next[0] < document_id:
            self._next = next(self._groups, None)
        if self._next is not None and self._next[0] == document_id:
            yield from self._next[1]


def _derived(project_id: str, record_id: str) -> str:
    return hashlib.sha256(f"{project_id}{record_id}".encode()).hexdigest()[:24]
