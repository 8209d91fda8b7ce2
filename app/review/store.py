"""Review threads, in records of their own (decisions, section 17).

What the rules of a document need to know of its threads is in its own record, written in the same transaction.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bson import ObjectId

from app.core.errors import WriteConflict
from app.core.store.collection import DESCENDING, Collection, difference, object_id
from app.core.store.secrets import OwnedSecrets
from app.core.store.store import Store
from app.core.store.types import Bson
from app.core.vocabulary import ActorType
from app.review.rules import StoredReviewLink, StoredThread
from app.review.vocabulary import ThreadState


def delete_threads(store: Store, project_id: str, document_id: str) -> None:
    """Deletes the threads and review links of a document that is purged."""
    store[Threads].delete_of(project_id, document_id)
    store[ReviewLinks].delete_of(project_id, document_id)


class ReviewLinks(OwnedSecrets[StoredReviewLink]):
    """The review links of documents."""

    name, owner = "reviewLinks", "documentId"


class Threads(Collection[StoredThread]):
    """The threads of a project's documents."""

    name = "threads"

    def get(self, project_id: str, document_id: str, thread_id: str) -> StoredThread | None:
        """Returns a thread of a document, or None."""
        return self._find_one(project_id, {"_id": object_id(thread_id), "documentId": object_id(document_id)})

    def list(
        self, project_id: str, document_id: str, states: Iterable[ThreadState], fields: Bson | None = None
    ) -> list[StoredThread]:
        """Returns the threads of a document in some states, the oldest first; with some of their fields, or all."""
        condition = {"documentId": ObjectId(document_id), "state": {"$in": [str(state) for state in states]}}
        return self._find(project_id, condition, sort=(("_id", 1),), fields=fields)

    def newest_resolved(self, project_id: str, document_id: str, limit: int) -> Sequence[StoredThread]:
        """Returns the resolved threads of a document that were opened last."""
        condition = {"documentId": ObjectId(document_id), "state": ThreadState.RESOLVED}
        return self._find(project_id, condition, sort=(("_id", DESCENDING),), limit=limit)

    def count(self, project_id: str, document_id: str, opener: ActorType | None = None) -> int:
        """Returns how many threads a document has, of all openers or of those of a type."""
        condition = {"documentId": ObjectId(document_id)} | ({"openedBy.type": opener} if opener else {})
        return self._count(project_id, condition)

    def get_many(self, project_id: str, thread_ids: Iterable[str]) -> dict[str, StoredThread]:
        """Returns those of the threads that exist, by id."""
        return self._by_id(project_id, thread_ids)

    def answered(self, project_id: str, token_ids: Iterable[str], limit: int) -> Sequence[StoredThread]:
        """Returns the answered threads that some tokens opened, the longest first, with what an inbox has of them."""
        condition = {"openedBy.id": {"$in": [*token_ids]}, "state": ThreadState.ANSWERED}
        fields = {"documentId": 1, "openedBy": 1, "stateSince": 1}
        return self._find(project_id, condition, sort=(("stateSince", 1),), limit=limit, fields=fields)

    def mentioning(
        self, project_id: str, member_ids: Iterable[str], since: datetime, limit: int
    ) -> Sequence[StoredThread]:
        """Returns the threads in which members are named since an instant, with what an inbox has of them."""
        named = {"memberId": {"$in": [*member_ids]}, "at": {"$gte": since}}
        fields = {"documentId": 1, "mentions": 1}
        return self._find(project_id, {"mentions": {"$elemMatch": named}}, limit=limit, fields=fields)

    def add_many(self, project_id: str, threads: Iterable[StoredThread]) -> None:
        """Adds threads, inside a transaction."""
        self._insert_many(project_id, threads)

    def change(self, project_id: str, before: StoredThread, after: StoredThread) -> StoredThread:
        """Writes what differs between a thread as it was read and as it is to be, inside a transaction; returns it.

        Raises `WriteConflict` when it changed since it was read.
        """
        unchanged = {"_id": ObjectId(before["id"]), "rev": before["rev"]}
        update = {"$set": difference(before, after), "$inc": {"rev": 1}}
        if self._update_one(project_id, unchanged, update, {"_id": 1}) is None:
            raise WriteConflict
        return {**after, "rev": before["rev"] + 1}
