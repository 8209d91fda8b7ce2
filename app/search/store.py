"""The words of texts, in records of their own beside the documents (decisions, section 23).

A document has one row, under its own id. The relay marks the rows of documents whose text may have changed; the worker
computes their words. The words are not in the documents' records: these are written at every move, and read by lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

from bson import ObjectId
from pymongo import UpdateOne

from app.core.store.collection import DESCENDING, Collection, object_id, object_ids, write_once
from app.core.store.indexes import FIRST_ID, Storage, index, key_index, own_record
from app.core.store.validators import ID, validator

if TYPE_CHECKING:
    from app.core.events import StoredEvent
    from app.core.store.store import Store
    from app.core.store.types import Bson

BRING_TEXTS = frozenset(f"document.{one}" for one in ("created", "updated", "content_updated", "restored"))
"""The events of documents that may have another text."""
FEW = 1_000
"""Up to how many documents that have the words before are looked up for the next word."""
MOST_FOUND = 100_000
"""Maximum number of documents that are found by a word; the newest of more."""

BY_WORD = index("searchedTexts", "projectId words _id", "documents whose text has a word")
PENDING = index("searchedTexts", "projectId pending", "texts whose words are to be computed", {"pending": {"$gt": 0}})

STORAGE = Storage(
    indexes=(key_index("searchedTexts"), BY_WORD, PENDING),
    shard_keys={"searchedTexts": "projectId _id"},
    validators={"searchedTexts": validator(projectId=ID)},
)


class SearchedText(TypedDict):
    """The words of a document's text; a row under the project's id notes that all its documents are marked."""

    id: str
    contentId: NotRequired[str | None]
    """The content whose words they are."""
    pending: NotRequired[int]
    """The number of the event after which they are to be computed."""


class Computed(NamedTuple):
    """The words of a text, None where those that are stored are its words."""

    text: SearchedText
    content_id: str | None
    words: Sequence[str] | None


def mark_texts(store: Store, project_id: str, events: Sequence[StoredEvent], _now: datetime) -> None:
    """Marks the documents of events that were relayed."""
    last = {event["data"]["documentId"]: event["sequence"] for event in events if event["type"] in BRING_TEXTS}
    store[SearchedTexts].mark(project_id, last)


def delete_text(store: Store, project_id: str, document_id: str) -> None:
    """Deletes the words of a document that is purged."""
    store[SearchedTexts].delete(project_id, document_id)


class SearchedTexts(Collection[SearchedText]):
    """The words of the texts of a project's documents."""

    name = "searchedTexts"

    def find_with(self, project_id: str, words: Iterable[str]) -> set[str]:
        """Returns the ids of the documents whose texts have all of some words.

        Each word is read from the index alone, the longest first, as long ones are rarer.
        """
        found: set[str] | None = None
        for word in sorted(set(words), key=len, reverse=True):
            within = {"_id": {"$in": object_ids(found)}} if found is not None and len(found) <= FEW else {}
            rows = self._find(
                project_id,
                {"words": word, **within},
                sort=(("_id", DESCENDING),),
                limit=MOST_FOUND,
                fields={"_id": 1},
                index=BY_WORD,
            )
            ids = {row["id"] for row in rows}
            found = ids if found is None else found & ids
            if not found:
                break
        return found or set()

    def mark(self, project_id: str, last: dict[str, int]) -> None:
        """Marks documents, each with the number of an event; what is marked for a later one stays so.

        A row that another relay makes at the same instant is marked by that, and its words are computed after both.
        """
        updates = [
            UpdateOne({"_id": ObjectId(one), "projectId": ObjectId(project_id)}, _pending_since(number), upsert=True)
            for one, number in last.items()
        ]
        write_once(self._collection, updates, ["_id"])

    def find_projects_pending(self) -> Sequence[str]:
        """Returns the projects with texts whose words are to be computed."""
        where: Bson = {"projectId": {"$gte": FIRST_ID}, "pending": {"$gt": 0}}
        rows = self._collection.aggregate([{"$match": where}, {"$group": {"_id": "$projectId"}}])
        return [str(row["_id"]) for row in rows]

    def pending(self, project_id: str, limit: int) -> list[SearchedText]:
        """Returns texts whose words are to be computed, those marked first first."""
        fields = {"pending": 1, "contentId": 1}
        return self._find(
            project_id, {"pending": {"$gt": 0}}, sort=(("pending", 1),), limit=limit, fields=fields, index=PENDING
        )

    def set_words(self, project_id: str, computed: Iterable[Computed]) -> None:
        """Stores the words of texts, except of those that were marked again since they were read."""
        updates = []
        for text, content_id, words in computed:
            unchanged = self._where(project_id, {"_id": ObjectId(text["id"]), "pending": text["pending"]})
            found = {} if words is None else {"$set": {"contentId": object_id(content_id), "words": [*words]}}
            updates.append(UpdateOne(unchanged, {"$unset": {"pending": 1}, **found}))
        if updates:
            self._collection.bulk_write(updates, ordered=False)

    def delete(self, project_id: str, document_id: str) -> None:
        """Deletes the words of a document."""
        where = self._where(project_id, {"_id": ObjectId(document_id)})
        self._collection.delete_one(where, session=self._session)

    def find_unmarked_projects(self) -> Sequence[str]:
        """Returns the projects whose documents of before the first release with this search were never marked."""
        marked = {row["_id"] for row in self._collection.find({"isProject": True}, {"_id": 1})}
        return [
            str(one["_id"]) for one in self._store.database.projects.find({}, {"_id": 1}) if one["_id"] not in marked
        ]

    def mark_all(self, project_id: str) -> None:
        """Marks all documents of a project, once; those that have a row already are marked by their events."""
        condition: Bson = {"projectId": ObjectId(project_id), "contentId": {"$ne": None}}
        rows: list[Any] = []
        for document in self._store.database.documents.find(condition, {"_id": 1}):
            own = {"_id": document["_id"], "projectId": ObjectId(project_id)}
            rows.append(UpdateOne(own, {"$setOnInsert": {"pending": 1}}, upsert=True))
        for start in range(0, len(rows), FEW):
            write_once(self._collection, rows[start : start + FEW], ["_id"])
        self._collection.update_one(own_record(project_id), {"$set": {"isProject": True}}, upsert=True)


def _pending_since(number: int) -> Bson:
    return {"$max": {"pending": number}}
