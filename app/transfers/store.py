"""Whole projects, read as they were at one instant, and written piece by piece (decisions, section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby, islice
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import bson
from bson import ObjectId

from app.core.store.bodies import Bodies
from app.core.store.collection import from_bson, new_id, object_ids, to_bson
from app.core.store.indexes import NOT_DELETED
from app.core.store.types import Bson, Values

if TYPE_CHECKING:
    from app.core.store.bodies import StoredBody
    from app.core.store.store import Store
    from app.documents.record import StoredDocument, StoredRevision
    from app.review.rules import StoredThread
    from app.sources.rules import StoredSource

RECORDS = ("projects", "members", "categories", "clusters", "images", "documents", "threads", "sources", "publications")
"""The collections that change; texts and versions never do."""
KEYS = {"threads": ("projectId", "documentId", "_id"), "sources": ("projectId", "documentId", "number")}
"""The order of what belongs to documents."""
AT_ONCE = 100
"""Documents whose versions and texts are read with two queries."""


class ProjectSnapshot:
    """The records of a project at one instant, in temporary files; the texts stay in MongoDB until they are read."""

    def __init__(self, store: Store, project_id: str, files: Mapping[str, IO[bytes]]) -> None:
        self._store = store
        self._project = ObjectId(project_id)
        self._files = files

    def records(self, collection: str) -> Iterator[Bson]:
        """Yields the records of a collection by id."""
        return map(from_bson, self._rows(collection))

    def documents(
        self,
    ) -> Iterator[
        tuple[
            StoredDocument,
            list[StoredRevision],
            Iterator[StoredBody],
            Iterator[StoredThread],
            Iterator[StoredSource],
        ]
    ]:
        """Yields every document with its versions, texts, threads and sources, by id; read them before the next.

        What is delivered of a document, or was before it was moved to the trash, is its `snapshot`.
        Leaves out documents that were deleted for good since the snapshot.
        """
        rows, publications = self._rows("documents"), _Groups(self._rows("publications"), "_id")
        threads = _Groups(self._rows("threads"), "documentId")
        sources = _Groups(self._rows("sources"), "documentId")
        while batch := list(islice(rows, AT_ONCE)):
            ids = [row["_id"] for row in batch]
            revisions = _Groups(self._of("revisions", ids, "documentId", "version"), "documentId")
            bodies = _Groups(self._of("bodies", ids, "documentId", "_id"), "documentId")
            for row in batch:
                row["snapshot"] = next(publications.of(row["_id"]), row.get("trashedPublication"))
                history: list[StoredRevision] = [
                    from_bson(one) for one in revisions.of(row["_id"]) if one["version"] <= row["version"]
                ]
                if history:
                    of_row = (map(from_bson, one.of(row["_id"])) for one in (bodies, threads, sources))
                    yield from_bson(row), history, *of_row

    def _rows(self, collection: str) -> Iterator[Bson]:
        file = self._files[collection]
        file.seek(0)
        return bson.decode_file_iter(file, self._store.database.codec_options)

    def _of(self, collection: str, document_ids: Sequence[ObjectId], *keys: str) -> Iterator[Bson]:
        condition = {"projectId": self._project, "documentId": {"$in": document_ids}}
        found = self._store.database[collection].find(condition).sort([(key, 1) for key in ("projectId", *keys)])
        return _read(self._store, found)


class Transfers:
    """Reads and writes the records of a project as they are."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = store.database
        self._session = store.session

    @contextmanager
    def snapshot(self, project_id: str) -> Iterator[ProjectSnapshot]:
        """Yields a project as it is now.

        MongoDB remembers five minutes (`minSnapshotHistoryWindowInSeconds`), and the reader of an export may take
        longer. So the records, which are small, are copied to disk at once; texts and versions are never changed,
        and are read when they are asked for.
        """
        with ExitStack() as stack:
            files = {name: stack.enter_context(TemporaryFile()) for name in RECORDS}
            session = stack.enter_context(self._database.client.start_session(snapshot=True))
            for name, file in files.items():
                gone = {"deletedAt": None} if name in ("categories", "clusters", "images") else {}
                keys = KEYS.get(name, ("projectId", "_id"))
                where = {"projectId": ObjectId(project_id), **gone}
                found = self._database[name].find(where, {"outbox": 0, "words": 0}, session=session)
                for row in _read(self._store, found.sort([(key, 1) for key in keys])):
                    file.write(bson.encode(row))
            yield ProjectSnapshot(self._store, project_id, files)

    def content(self, project_id: str) -> Sequence[str]:
        """Returns the collections of a project's content, documents in the trash included, that have a record."""
        where = {"projectId": ObjectId(project_id)}
        conditions = {"documents": where} | dict.fromkeys(("categories", "clusters", "members"), where | NOT_DELETED)
        return [
            name
            for name, condition in conditions.items()
            if self._database[name].find_one(condition, {"_id": 1}, session=self._session)
        ]

    def taken_ids(self, collection: str, ids: Iterable[str]) -> set[str]:
        """Returns those of the ids that records of any project have."""
        rows = self._database[collection].find({"_id": {"$in": object_ids(ids)}}, {"_id": 1}, session=self._session)
        return {str(row["_id"]) for row in rows}

    def add_many(self, project_id: str, collection: str, records: Iterable[Values]) -> None:
        """Adds records as they are, in one call."""
        keys_of = self._store.features.keys_of_text if collection == Bodies.name else None
        rows = [
            to_bson({"id": new_id(), **record, **(keys_of(record["text"]) if keys_of else {}), "projectId": project_id})
            for record in records
        ]
        if rows:
            self._database[collection].insert_many(rows, session=self._session)

    def delete_history(self, project_id: str) -> None:
        """Deletes what belongs to documents of an import that was interrupted."""
        where = {"projectId": ObjectId(project_id)}
        for collection in ("revisions", "bodies", "threads", "sources", "reviewLinks"):
            self._database[collection].delete_many(where, session=self._session)


class _Groups:
    """Rows that are sorted by document, whose id is under `key`, yielded one document at a time."""

    def __init__(self, rows: Iterator[Bson], key: str) -> None:
        self._groups: Iterator[tuple[ObjectId, Iterator[Bson]]] = groupby(rows, key=lambda row: row[key])
        self._next = next(self._groups, None)

    def of(self, document_id: ObjectId) -> Iterator[Bson]:
        """Yields the rows of a document; those of documents before it, which do not exist, are skipped."""
        while self._next is not None and self._next[0] < document_id:
            self._next = next(self._groups, None)
        if self._next is not None and self._next[0] == document_id:
            yield from self._next[1]


def _read(store: Store, cursor: Iterable[Bson]) -> Iterator[Bson]:
    """Yields the rows of a cursor; each wait for MongoDB has the deadline, however long the reader takes."""
    rows = iter(cursor)
    while True:
        with store.deadline():
            row = next(rows, None)
        if row is None:
            return
        yield row
