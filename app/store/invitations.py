"""Invitations of members to sign in to the console: each makes one token. Only a hash of each is stored."""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from app.store.collection import Collection


class StoredInvitation(TypedDict):
    """An invitation as the store returns it."""

    id: str
    projectId: str
    hash: str
    memberId: str
    scopes: list[str]
    """What the token will allow."""
    createdAt: datetime
    expiresAt: datetime


class Invitations(Collection[StoredInvitation]):
    """The invitations of a project that nobody has accepted yet."""

    name = "invitations"

    def add(
        self,
        project_id: str,
        *,
        secret_hash: str,
        member_id: str,
        scopes: Sequence[str],
        now: datetime,
        until: datetime,
    ) -> None:
        """Adds an invitation."""
        row = {"hash": secret_hash, "memberId": member_id, "scopes": [*scopes], "createdAt": now, "expiresAt": until}
        self._insert(project_id, row)

    def take(self, project_id: str, secret_hash: str, now: datetime) -> StoredInvitation | None:
        """Returns the invitation whose secret has this hash and deletes it; None where there is none any more."""
        return self._delete_one(project_id, {"hash": secret_hash, "expiresAt": {"$gt": now}})
