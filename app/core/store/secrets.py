"""Records found by the hash of a secret until they expire: sessions and codes, invitations and review links.

Only hashes of the secrets are stored (decisions, sections 2, 16 and 17).
"""

from collections.abc import Sequence
from datetime import datetime

from bson import ObjectId

from app.core.store.collection import Collection, Stored, object_id
from app.core.store.types import Values


class Secrets(Collection[Stored]):
    """Records that are found by the hash of a secret, until they expire."""

    def add(self, project_id: str, secret_hash: str, record: Values, now: datetime, until: datetime) -> Stored:
        """Adds a record."""
        return self._insert(project_id, {**record, "hash": secret_hash, "createdAt": now, "expiresAt": until})

    def get(self, project_id: str, secret_hash: str, now: datetime) -> Stored | None:
        """Returns the record whose secret has this hash, or None."""
        return self._find_one(project_id, {"hash": secret_hash, "expiresAt": {"$gt": now}})

    def take(self, project_id: str, secret_hash: str, now: datetime) -> Stored | None:
        """Deletes the record whose secret has this hash and returns it; None where there is none any more."""
        return self._delete_one(project_id, {"hash": secret_hash, "expiresAt": {"$gt": now}})


class OwnedSecrets(Secrets[Stored]):
    """Those that belong to another record."""

    owner: str
    """The field with the id of that record."""

    def list(self, project_id: str, owner_id: str | None, now: datetime) -> Sequence[Stored]:
        """Returns those of an owner, or of each, that have not expired, the oldest first, without their hashes."""
        condition = {} if owner_id is None else {self.owner: ObjectId(owner_id)}
        order = [(self.owner, 1), ("_id", 1)]
        return self._find(project_id, {**condition, "expiresAt": {"$gt": now}}, sort=order, fields={"hash": 0})

    def delete(self, project_id: str, owner_id: str, record_id: str) -> Stored | None:
        """Deletes one of an owner and returns it; None where there is no such one."""
        return self._delete_one(project_id, {"_id": object_id(record_id), self.owner: ObjectId(owner_id)})
