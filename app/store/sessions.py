"""Sessions of the console, and invitations to it, each of which makes one token. Only hashes of secrets are stored."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.store.collection import Collection, Stored
from app.store.types import Values


class StoredSecret(TypedDict):
    """What is stored of a secret that expires."""

    id: str
    projectId: str
    hash: str
    """The hash of the secret."""
    createdAt: datetime
    expiresAt: datetime


class StoredSession(StoredSecret):
    """A session as the store returns it."""

    tokenId: str
    tokenHash: str
    """The hash of the token's secret at the time: a token with a new secret ends its sessions."""


class StoredInvitation(StoredSecret):
    """An invitation as the store returns it."""

    memberId: str
    scopes: list[str]
    """What the token will allow."""
    tokenHash: NotRequired[str | None]
    """The hash of the secret of the token that invites: the invitation ends with it. None for the command line."""


class Secrets(Collection[Stored]):
    """Records that are found by the hash of a secret, until they expire."""

    def add(self, project_id: str, secret_hash: str, record: Values, now: datetime, until: datetime) -> None:
        """Adds a record."""
        self._insert(project_id, {**record, "hash": secret_hash, "createdAt": now, "expiresAt": until})


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

    def delete(self, project_id: str, secret_hash: str, now: datetime) -> StoredInvitation | None:
        """Deletes the invitation whose secret has this hash and returns it; None where there is none any more."""
        return self._delete_one(project_id, {"hash": secret_hash, "expiresAt": {"$gt": now}})
