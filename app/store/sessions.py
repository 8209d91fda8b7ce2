"""Sessions of the console, and invitations to it, each of which makes one token. Only hashes of secrets are stored."""

from collections.abc import Sequence
from datetime import datetime

from bson import ObjectId

from app.rules.tokens import StoredInvitation, StoredSecret
from app.store.collection import Collection, Stored, object_id
from app.store.types import Values


class StoredSession(StoredSecret):
    """A session as the store returns it."""

    tokenId: str
    tokenHash: str
    """The hash of the token's secret at the time: a token with a new secret ends its sessions."""


class Secrets(Collection[Stored]):
    """Records that are found by the hash of a secret, until they expire."""

    def add(self, project_id: str, secret_hash: str, record: Values, now: datetime, until: datetime) -> Stored:
        """Adds a record."""
        return self._insert(project_id, {**record, "hash": secret_hash, "createdAt": now, "expiresAt": until})


class Sessions(Secrets[StoredSession]):
    """The sessions of a project."""

    name = "sessions"

    def get(self, project_id: str, secret_hash: str) -> StoredSession | None:
        """Returns the session whose secret has this hash, or None."""
        return self._find_one(project_id, {"hash": secret_hash})

    def delete(self, project_id: str, secret_hash: str) -> None:
        """Deletes a session."""
        self._delete_one(project_id, {"hash": secret_hash})


class Invitations(Secrets[StoredInvitation]):
    """The invitations of a project that nobody has accepted yet."""

    name = "invitations"

    def list(self, project_id: str, member_id: str, now: datetime) -> Sequence[StoredInvitation]:
        """Returns the invitations of a member that have not expired, the oldest first."""
        condition = {"memberId": ObjectId(member_id), "expiresAt": {"$gt": now}}
        return self._find(project_id, condition, sort=[("_id", 1)])

    def accept(self, project_id: str, secret_hash: str, now: datetime) -> StoredInvitation | None:
        """Deletes the invitation whose secret has this hash and returns it; None where there is none any more."""
        return self._delete_one(project_id, {"hash": secret_hash, "expiresAt": {"$gt": now}})

    def withdraw(self, project_id: str, member_id: str, invitation_id: str) -> StoredInvitation | None:
        """Deletes an invitation of a member and returns it; None where they have no such one."""
        return self._delete_one(project_id, {"_id": object_id(invitation_id), "memberId": ObjectId(member_id)})
