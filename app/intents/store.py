"""Drafts, each owned by the token that began it (contract: Authentication, rule 3).

The cap of 100 a token is the number of slots: each draft takes one, and a unique index lets no two take the same.
"""

import random
import threading
from datetime import datetime

from bson import ObjectId
from cachetools import LRUCache

from app.core.context import Context
from app.core.records import Tags
from app.core.store.collection import DESCENDING, Collection
from app.core.store.indexes import Storage, index
from app.core.store.types import Bson, Values
from app.core.store.validators import ID, one_of, validator
from app.core.vocabulary import Kind
from app.intents.rules import DRAFTS_PER_TOKEN, StoredIntent

STORAGE = Storage(
    indexes=(
        index("intents", "projectId tokenId slot", "the cap of drafts a token", unique=True),
        index("intents", "projectId tokenId -updatedAt -_id", "lists of drafts"),
    ),
    validators={
        "intents": validator(projectId=ID, tokenId=ID, kind=one_of(Kind), slot={"bsonType": "number", "minimum": 0})
    },
    shard_keys={"intents": "projectId"},
)

_next_slots: LRUCache[str, int] = LRUCache(10_000)
"""The slot after the one that a token was given last, by the token's id."""
_next_slots_lock = threading.Lock()


def guess_slot(token_id: str) -> int:
    """Returns a slot that is probably free, without reading any; `add` refuses a slot that is taken.

    A token's drafts take the slots in turn, from a random one on, as those begun first are mostly finished first.
    """
    with _next_slots_lock:
        slot = _next_slots.get(token_id)
        if slot is None:
            slot = random.randrange(DRAFTS_PER_TOKEN)
        _next_slots[token_id] = (slot + 1) % DRAFTS_PER_TOKEN
    return slot


class Intents(Collection[StoredIntent]):
    """The unfinished drafts."""

    name = "intents"

    def find_free_slot(self, project_id: str, token_id: str) -> int | None:
        """Returns a slot without a draft, None when the token has a draft in each.

        A random one, so that concurrent callers seldom take the same; when they do, the index refuses the second.
        """
        rows = self._find(project_id, {"tokenId": ObjectId(token_id)}, fields={"_id": 0, "slot": 1})
        free = sorted(set(range(DRAFTS_PER_TOKEN)) - {row["slot"] for row in rows})
        return random.choice(free) if free else None

    def add(self, project_id: str, draft: Values) -> StoredIntent:
        """Adds a draft."""
        return self._insert(project_id, {**draft, "rev": 1})

    def get(self, project_id: str, token_id: str, intent_id: str, kind: Kind | None) -> StoredIntent | None:
        """Returns a token's draft whole."""
        return self._find_one(project_id, self._one(token_id, intent_id, kind))

    def list(self, project_id: str, token_id: str, kind: Kind | None) -> list[StoredIntent]:
        """Returns a token's drafts without their markdown, the most recently updated first."""
        condition: Bson = {"tokenId": ObjectId(token_id)} | ({"kind": kind} if kind else {})
        newest = (("updatedAt", DESCENDING), ("_id", DESCENDING))
        return self._find(project_id, condition, sort=newest, limit=DRAFTS_PER_TOKEN, fields={"fields.markdown": 0})

    def update(
        self,
        project_id: str,
        token_id: str,
        intent_id: str,
        fields: Values,
        about_text: Values,
        now: datetime,
        *,
        kind: Kind | None,
        tags: Tags,
    ) -> StoredIntent | None:
        """Sets the fields that were sent and clears those sent as null, in one atomic write.

        `about_text` is what the draft keeps about the markdown that was sent.
        """
        condition = self._one(token_id, intent_id, kind, tags)
        change: Bson = {
            "$set": {f"fields.{name}": value for name, value in fields.items() if value is not None}
            | {"updatedAt": now, **about_text},
            "$inc": {"rev": 1},
        }
        if cleared := {f"fields.{name}": "" for name, value in fields.items() if value is None}:
            change["$unset"] = cleared
        return self._update_one(project_id, condition, change)

    def delete(
        self, project_id: str, token_id: str, intent_id: str, kind: Kind | None, tags: Tags = None
    ) -> StoredIntent | None:
        """Deletes a token's draft and returns it: the one who gets it may finish it."""
        condition = self._one(token_id, intent_id, kind, tags)
        return self._delete_one(project_id, condition)

    def conflict_on(self, project_id: str, field: str, record_id: str) -> None:
        """Makes every transaction that confirms a draft that names a category or cluster conflict with this one."""
        same = {"$regex": f"^{record_id}$", "$options": "i"}
        where = self._where(project_id, {f"fields.{field}": same})
        self._collection.update_many(where, {"$inc": {"conflicts": 1}}, session=self._session)

    def _one(self, token_id: str, intent_id: str, kind: Kind | None, tags: Tags = None) -> Bson:
        one: Bson = {"_id": ObjectId(intent_id), "tokenId": ObjectId(token_id)}
        states = {} if tags is None else {"rev": {"$in": [int(tag) for tag in tags if tag.isdigit()]}}
        return one | ({"kind": kind} if kind else {}) | states


def is_awaited_by_draft(ctx: Context, field: str, record_id: str) -> bool:
    """Returns that no draft uses a category or cluster; one that is being confirmed conflicts with the transaction."""
    ctx.store[Intents].conflict_on(ctx.project_id, field, record_id)
    return False
