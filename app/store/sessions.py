"""Sessions of the console: which token somebody signed in with. Only hashes are stored."""

from datetime import datetime
from typing import TypedDict

from app.store.collection import Collection
from app.store.indexes import SESSIONS_BY_HASH


class StoredSession(TypedDict):
    """A session as the store returns it."""

    id: str
    projectId: str
    hash: str
    """The hash of the session's secret."""
    tokenId: str
    tokenHash: str
    """The hash of the token's secret at the time: a token with a new secret ends its sessions."""
    createdAt: datetime
    expiresAt: datetime


class Sessions(Collection[StoredSession]):
    """The sessions of a project."""

    name = "sessions"

    def add(
        self, project_id: str, *, secret_hash: str, token_id: str, token_hash: str, now: datetime, until: datetime
    ) -> None:
        """Adds a session."""
        row = {"hash": secret_hash, "tokenId": token_id, "tokenHash": token_hash, "createdAt": now, "expiresAt": until}
        self._insert(project_id, row)

    def get(self, project_id: str, secret_hash: str) -> StoredSession | None:
        """Returns the session whose secret has this hash, or None."""
        return self._find_one(project_id, {"hash": secret_hash}, index=SESSIONS_BY_HASH)

    def delete(self, project_id: str, secret_hash: str) -> None:
        """Deletes a session."""
        self._delete_one(project_id, {"hash": secret_hash})
