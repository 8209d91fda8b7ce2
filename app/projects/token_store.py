"""Tokens, sessions and invitations, of which only hashes of secrets are stored (decisions, section 2)."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bson import ObjectId

from app.core.store.collection import OutboxCollection, from_bson, object_id
from app.core.store.indexes import FIRST_ID, Storage, index, types
from app.core.store.secrets import OwnedSecrets, Secrets
from app.core.store.types import Bson
from app.core.store.validators import ITEMS, TEXT, record_validator
from app.projects.rules import StoredInvitation, StoredProject, StoredSecret, StoredToken

STORAGE = Storage(
    indexes=(
        index("tokens", "projectId memberId", "which tokens are members'", {"memberId": {"$gt": FIRST_ID}}),
        index("tokens", "hash", "finds a caller, before any project is known", title="by_hash"),
        index("tokens", "projectId _id", "lists of a project's tokens"),
        index("sessions", "projectId hash", "finds who is signed in", unique=True),
        index("sessions", "expiresAt", "sessions end by themselves", expireAfterSeconds=0),
        index("invitations", "projectId hash", "finds an invitation", unique=True),
        index("invitations", "projectId memberId _id", "lists of a member's invitations"),
        index("invitations", "expiresAt", "invitations expire", expireAfterSeconds=0),
    ),
    shard_keys={"tokens": "projectId _id", "sessions": "projectId", "invitations": "projectId"},
    validators={"tokens": record_validator(kind=TEXT, name=TEXT, hash=TEXT, scopes=ITEMS)},
    outboxes=("tokens",),
    events=types("token", "created updated rotated revoked"),
)


class StoredSession(StoredSecret):
    """A session as the store returns it."""

    tokenId: str
    tokenHash: str
    """The hash of the token's secret at the time: a token with a new secret ends its sessions."""


class Sessions(Secrets[StoredSession]):
    """The sessions of a project."""

    name = "sessions"


class Invitations(OwnedSecrets[StoredInvitation]):
    """The invitations of members that nobody has accepted yet."""

    name, owner = "invitations", "memberId"


LAST_USED_LAG = timedelta(minutes=1)


class Tokens(OutboxCollection[StoredToken]):
    """The tokens of all projects, found by the hash of their secret, or by project and id."""

    name = "tokens"
    event_data = (("tokenId", "id"),)
    defaults = {}

    def by_hash(self, secret_hash: str) -> StoredToken | None:
        """Returns the token whose secret has this hash: the one look-up that knows no project yet."""
        return self.from_bson(self._collection.find_one({"hash": secret_hash}, self.hidden))

    def with_project(self, secret_hash: str) -> tuple[StoredToken, StoredProject] | None:
        """Returns the token whose secret has this hash, with its project, in one read."""
        project = {"from": "projects", "localField": "projectId", "foreignField": "projectId", "as": "project"}
        hidden = {"outbox": 0, "project.outbox": 0, "project.views": 0}
        stages: Sequence[Bson] = [{"$match": {"hash": secret_hash}}, {"$lookup": project}, {"$project": hidden}]
        for row in self._collection.aggregate(stages, session=self._session):
            token: Any = from_bson(row)
            [project] = token.pop("project") or [{}]
            return token, project
        return None

    def by_id(self, token_id: str) -> StoredToken | None:
        """Returns a token by its id alone, for the command line."""
        return self.from_bson(self._collection.find_one({"_id": object_id(token_id)}, self.hidden))

    def of_member(self, project_id: str, member_id: str, **like: Any) -> StoredToken | None:
        """Returns the token of a member with some values that is not revoked, like that of their calendar."""
        return self._find_one(project_id, {"memberId": ObjectId(member_id), "revokedAt": None, **like}, self.hidden)

    def all_of_member(self, project_id: str, member_id: str) -> list[StoredToken]:
        """Returns the tokens of a member that are not revoked."""
        return self._find(project_id, {"memberId": ObjectId(member_id), "revokedAt": None}, fields=self.hidden)

    def with_granters(self, project_id: str, token_ids: Iterable[str]) -> dict[str, StoredToken]:
        """Returns whose tokens are, by token id, and whose those that agreed to connections; revoked ones too."""
        whose = {"agent": 1, "memberId": 1, "grantedBy": 1}
        found = self._by_id(project_id, token_ids, whose)
        connected: Mapping[str, Any] = found
        granters = {by["id"] for row in connected.values() if (by := row.get("grantedBy"))} - found.keys()
        return found | self._by_id(project_id, granters, whose)

    def owners(self, project_id: str, **like: Any) -> dict[str, str]:
        """Returns the member to whom each token with some values belongs, by token id, revoked tokens included."""
        rows = self._find(project_id, {"memberId": {"$gt": FIRST_ID}, **like}, fields={"memberId": 1})
        return {row["id"]: member_id for row in rows if (member_id := row.get("memberId"))}

    def record_use(self, project_id: str, token_id: str, now: datetime) -> None:
        """Notes that the token was used; at most once a minute."""
        stale = {"$not": {"$gte": now - LAST_USED_LAG}}  # never used, too
        where = self._where(project_id, {"_id": ObjectId(token_id), "lastUsedAt": stale})
        self._collection.update_one(where, {"$set": {"lastUsedAt": now}})

    def list(self, project_id: str, names: Iterable[str] = (), *, limit: int, offset: int) -> list[StoredToken]:
        """Returns one page of tokens with some fields, by default all, the oldest first, revoked ones too."""
        fields = dict.fromkeys(names, 1) or self.hidden
        return self._find(project_id, {}, sort=(("_id", 1),), skip=offset, limit=limit, fields=fields)
