"""Long texts: markdown and html, each written once and never changed.

They are stored apart from the records that name them by id, so that no list reads one, no record outgrows MongoDB's
16 MB, and a record can't show another version's text. As they never change, a process remembers those it read last.

A text is a body here and in revisions (`bodyId`); documents name it `contentId`, snapshots `markdownId` and `htmlId`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from bson import ObjectId
from pymongo import UpdateOne
from pymongo.read_concern import ReadConcern

from app.core.store.caches import SharedCache
from app.core.store.collection import Collection, object_id
from app.core.store.indexes import Storage, index, key_index
from app.core.store.types import Bson, Values
from app.core.store.validators import ID, TEXT, validator

if TYPE_CHECKING:
    from app.core.store.store import Store

STORAGE = Storage(
    indexes=(
        index("bodies", "projectId documentId _id", "all texts of a document, to purge or export them"),
        key_index("bodies"),
    ),
    shard_keys={"bodies": "projectId _id"},
    validators={"bodies": validator(projectId=ID, documentId=ID, text=TEXT)},
)

CACHE_BYTES = 32 * 1024 * 1024
LONG = 256 * 1024
"""A text of more bytes is long: it is not cached, as a few of them would evict all others."""
BYTES: Bson = {"$strLenBytes": "$text"}
UNLESS_LONG: Bson = {"text": {"$cond": [{"$lte": [BYTES, LONG]}, "$text", "$$REMOVE"]}, "bytes": BYTES}
"""Projection of a body: the text if it is short, and its number of bytes."""

_cache: SharedCache[str] = SharedCache(CACHE_BYTES, size_of=sys.getsizeof)
"""Texts by their store, and the ids of their project and body."""


class StoredBody(TypedDict):
    """A text as the store returns it."""

    id: str
    projectId: str
    documentId: str
    text: str
    origins: NotRequired[str | None]
    """Who wrote its paragraphs, of a document's markdown, once that was computed (`rules/provenance.py`)."""


class Bodies(Collection[StoredBody]):
    """The texts of documents."""

    name = "bodies"

    def __init__(self, store: Store) -> None:
        """Reads texts as the primary has them, outside of transactions.

        The majority has every text that a record names, since it has the record. But a primary that has just been
        elected learns only a moment later what the majority has, and until then would not find the text.
        """
        super().__init__(store)
        self._collection = self._collection.with_options(read_concern=ReadConcern("local"))

    def add(self, project_id: str, document_id: str, text: str, body_id: str) -> None:
        """Stores a text of a document under a new id."""
        keys = self._store.features.keys_of_text(text)
        self._insert(project_id, {"id": body_id, "documentId": document_id, "text": text, **keys})

    def add_many(self, project_id: str, bodies: Iterable[Values]) -> None:
        """Stores texts with given ids: `id`, `documentId`, `text`."""
        self._insert_many(project_id, [{**one, **self._store.features.keys_of_text(one["text"])} for one in bodies])

    def get_texts(
        self, project_id: str, body_ids: Iterable[str], *, before_long: Callable[[int], None] | None = None
    ) -> dict[str, str]:
        """Returns the texts of several bodies by id; those that are not cached are read, in one command.

        `before_long` is called with the total bytes of the long ones before these are read, by another command, and
        may refuse.
        """
        texts, long = self._read(project_id, body_ids, {"text": 1} if before_long is None else UNLESS_LONG)
        if before_long is not None and long:
            before_long(sum(long.values()))
            texts |= self._read(project_id, long, {"text": 1})[0]
        return texts

    def get_short_texts(self, project_id: str, body_ids: Iterable[str]) -> dict[str, str]:
        """Returns those of several texts that are not long, by id; what is not cached is read, in one command."""
        return self._read(project_id, body_ids, UNLESS_LONG)[0]

    def _read(self, project_id: str, body_ids: Iterable[str], fields: Bson) -> tuple[dict[str, str], dict[str, int]]:
        """Returns texts by id, and the bytes of those that the fields leave out."""
        wanted = set(body_ids)
        cached = {one: _cache.get((self._store.cache_scope, project_id, one)) for one in wanted}
        texts = {one: text for one, text in cached.items() if text is not None}
        missing = wanted - texts.keys()
        read: dict[str, Any] = self._by_id(project_id, missing, fields) if missing else {}
        for body_id, row in read.items():
            if "text" in row:
                texts[body_id] = row["text"]
                self._remember(project_id, body_id, row["text"])
        return texts, {body_id: row["bytes"] for body_id, row in read.items() if "text" not in row}

    def get(self, project_id: str, body_id: str | None) -> StoredBody | None:
        """Returns a body, or None."""
        body = self._find_one(project_id, {"_id": object_id(body_id)}) if body_id else None
        if body is not None:
            self._remember(project_id, body["id"], body["text"])
        return body

    def get_origins(self, project_id: str, body_ids: Iterable[str]) -> dict[str, str | None]:
        """Returns the origins of several bodies by id, None where nobody computed them, in one read of no more."""
        return self._values(project_id, body_ids, "$origins")

    def set_origins(self, project_id: str, origins: Mapping[str, str]) -> bool:
        """Stores the origins of texts by id; returns False if one is gone.

        They follow from immutable texts, so it does not matter who does so first.
        """
        updates = [
            (self._where(project_id, {"_id": ObjectId(body_id)}), {"$set": {"origins": one}})
            for body_id, one in origins.items()
        ]
        if len(updates) == 1:
            return self._collection.update_one(*updates[0], session=self._session).matched_count == 1
        each = [UpdateOne(*update) for update in updates]
        return not each or self._collection.bulk_write(each, session=self._session).matched_count == len(each)

    def _remember(self, project_id: str, body_id: str, text: str) -> None:
        may_be_rolled_back = self._session is not None and self._session.in_transaction
        if not may_be_rolled_back and sys.getsizeof(text) <= LONG:
            _cache.put((self._store.cache_scope, project_id, body_id), text)

    def get_sizes(self, project_id: str, body_ids: Iterable[str]) -> dict[str, int]:
        """Returns how many bytes several bodies have by id, in one read of no more than that."""
        return self._values(project_id, body_ids, BYTES)

    def get_beginnings(self, project_id: str, body_ids: Iterable[str], length: int) -> dict[str, str]:
        """Returns the first characters of several bodies by id, in one read of no more than that."""
        return self._values(project_id, body_ids, {"$substrCP": ["$text", 0, length]})

    def _values(self, project_id: str, body_ids: Iterable[str], expression: Bson | str) -> dict[str, Any]:
        found: dict[str, Any] = self._by_id(project_id, body_ids, {"value": expression})
        return {body_id: row.get("value") for body_id, row in found.items()}

    def delete(self, project_id: str, body_id: str) -> None:
        """Deletes a body that nothing names any more."""
        self._collection.delete_one(self._where(project_id, {"_id": ObjectId(body_id)}), session=self._session)
