"""Idempotency keys: the first result of each, stored for 24 hours (decisions, section 3).

The key is the first insert of the operation's own transaction: after a crash at any instant the key and what the
operation wrote are both there, or neither.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NotRequired, TypedDict

from bson import ObjectId
from pymongo.errors import DuplicateKeyError, OperationFailure

from app.core.errors import IdempotencyConflict
from app.core.store.collection import Collection
from app.core.store.indexes import Storage, index
from app.core.times import DAY_SECONDS

STORAGE = Storage(
    indexes=(
        index("idempotency", "projectId tokenId key", "a key is used once", unique=True),
        index("idempotency", "at", "keys are stored for a day", expireAfterSeconds=DAY_SECONDS),
    ),
    shard_keys={"idempotency": "projectId"},
)

WRITE_CONFLICT = 112
"""MongoDB's code where another transaction wrote the same record first; PyMongo tries such a transaction again."""


class KeyUsed(Exception):
    """An earlier request took the key, and finished."""


class StoredResult(TypedDict):
    """Result of an operation as it is stored under a key: without secrets and long texts."""

    body: str
    """JSON."""
    etag: str | None
    bodies: Mapping[str, str | None]
    """`Result.text_ids`."""
    within: str | None
    """`Result.record_key`."""
    isNew: NotRequired[bool]
    """`Result.is_new`, where that is false."""


class StoredKey(TypedDict):
    """An idempotency key as the store returns it."""

    id: str
    projectId: str
    tokenId: str
    key: str
    fingerprint: str
    """A hash of the request that used it first."""
    at: datetime
    answer: NotRequired[StoredResult]
    """The result of that request; missing only inside its own transaction."""
    delivery: NotRequired[str]
    """The id of its change of what is delivered, if it made one."""


class Idempotency(Collection[StoredKey]):
    """The keys of requests that changed something."""

    name = "idempotency"

    def take(self, project_id: str, token_id: str, key: str, fingerprint: str, now: datetime) -> str:
        """Takes the key for the transaction that is about to run and returns the id of its row.

        Raises `KeyUsed` when an earlier request finished with it; refuses with `IdempotencyConflict` while one runs.
        """
        row = {"tokenId": token_id, "key": key, "fingerprint": fingerprint, "at": now}
        try:
            return self._insert(project_id, row)["id"]
        except DuplicateKeyError:
            raise KeyUsed from None
        except OperationFailure as error:
            if error.code == WRITE_CONFLICT:
                raise IdempotencyConflict from None
            raise

    def save_result(self, project_id: str, row_id: str, answer: StoredResult) -> None:
        """Stores the result under the key, with the transaction's change of what is delivered."""
        where, change = self._where(project_id, {"_id": ObjectId(row_id)}), self._store.delivery_change
        result = {"answer": answer} | ({"delivery": change[1]} if change else {})
        self._collection.update_one(where, {"$set": result}, session=self._session)

    def find(self, project_id: str, token_id: str, key: str) -> StoredKey | None:
        """Returns what is stored under a token's key, or None."""
        return self._find_one(project_id, {"tokenId": ObjectId(token_id), "key": key})

    def delete(self, project_id: str, row_id: str) -> None:
        """Deletes a key whose day is over, which MongoDB will only get to within the minute."""
        self._delete_one(project_id, {"_id": ObjectId(row_id)})
