"""Projects, and what each counts: its clusters and its webhooks."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from bson import ObjectId
from cachetools import TTLCache, cached
from pymongo.collection import Collection as MongoCollection

from app.core.events import Event
from app.core.slugs import name_key
from app.core.store import form
from app.core.store.collection import OutboxCollection, new_id, object_id
from app.core.store.indexes import NOT_DELETED, Storage, index, key_index, own_record, types
from app.core.store.named import Named
from app.core.store.types import Bson, Values
from app.core.store.validators import ID, TEXT, one_of, record_validator
from app.core.vocabulary import Role
from app.projects.rules import StoredMember, StoredProject

if TYPE_CHECKING:
    from app.core.store.store import Store

STORAGE = Storage(
    indexes=(
        index("members", "projectId nameKey _id", "lists by name", NOT_DELETED),
        index(
            "members",
            "projectId emailKey",
            "an e-mail address is one member's",
            {**NOT_DELETED, "emailKey": {"$gt": ""}},
            unique=True,
        ),
        index(
            "members",
            "projectId slug",
            "a slug is one author's",
            {**NOT_DELETED, "slug": {"$gt": ""}},
            unique=True,
        ),
        index("members", "emailKey", "who signs in with an e-mail address, before any project is known", NOT_DELETED),
        *map(key_index, ("projects", "members", "counters")),
    ),
    shard_keys={"projects": "projectId _id", "members": "projectId", "counters": "projectId _id"},
    validators={
        "projects": record_validator(teamId=ID, name=TEXT),
        "members": record_validator(name=TEXT, role=one_of(Role)),
    },
    outboxes=("members", "projects"),
    events=("project.updated", *types("member", "created updated deleted invited")),
)


AUTHOR = dict.fromkeys(("name", "slug", "bio", "imageUrl"), 1)
"""The fields of a member that are delivered."""


class Members(Named[StoredMember]):
    """The members of a project; a deleted one stays stored, since records still name it."""

    name = "members"
    event_data = (("memberId", "id"),)
    unique = "emailKey"
    found_by = ("nameKey", "emailKey")

    def keys(self, fields: Values, before: Values | None = None) -> Bson:
        email = {"emailKey": name_key(fields["email"] or "")} if "email" in fields else {}
        return super().keys(fields) | email

    def exists(self, project_id: str, member_id: str) -> bool:
        """Returns whether there is such a member to assign something to."""
        return self._exists(project_id, {"_id": object_id(member_id), **NOT_DELETED})

    def ids(self, project_id: str) -> Sequence[str]:
        """Returns the ids of the members who did not leave."""
        return [row["id"] for row in self._find(project_id, NOT_DELETED, fields={"_id": 1})]

    def all_named(self, project_id: str) -> list[StoredMember]:
        """Returns the members who did not leave, with their names and e-mail addresses alone."""
        return self._find(project_id, NOT_DELETED, fields={"name": 1, "email": 1})

    def authors(self, project_id: str, member_ids: Iterable[str]) -> dict[str, StoredMember]:
        """Returns those of the members who did not leave, by id, with what is delivered of them, sorted by name."""
        found = self._by_id(project_id, member_ids, AUTHOR, **NOT_DELETED)
        return dict(sorted(found.items(), key=lambda one: (name_key(one[1]["name"]), one[0])))

    def with_email(self, email: str) -> list[StoredMember]:
        """Returns the members of all projects who have this e-mail address, since signing in names no project."""
        key = name_key(email)
        found = self._collection.find({"emailKey": key, **NOT_DELETED}, self.hidden).limit(100) if key else ()
        return [self.from_bson(row) for row in found]


_recent: TTLCache[Hashable, StoredProject] = TTLCache(10_000, 3)
"""The projects' settings, so that a claim or a submit is one command. A change holds within 3 s; in the process that
made it mostly at once."""


_recent_lock = threading.Lock()


class StoredCounters(TypedDict):
    """Record of a project's counters, as it is in MongoDB, under the project's id.

    Transactions that must not run side by side both write to it.
    """

    _id: ObjectId
    projectId: ObjectId
    clusters: int
    """How many clusters there are."""
    webhooks: int
    """How many webhooks there are."""


LONG = 2_000
"""A longer text of a setting is left out where settings are cached, as no hot path needs it."""


def shortened(project: Values) -> StoredProject:
    """Returns a project's record without its long fields."""
    short: Any = {
        name: value
        for name, value in project.items()
        if name != "views" and not (isinstance(value, str) and len(value) > LONG)
    }
    return cast(StoredProject, short)


Capped = Literal["clusters", "webhooks", "images"]
"""Records of which a project may have a limited number."""


class Projects(OutboxCollection[StoredProject]):
    """The projects; a project's own record carries its id as `projectId` too, so that one rule finds all."""

    name = "projects"
    event_data = ()

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._counters = cast(MongoCollection[StoredCounters], store.database["counters"])

    def create(self, record: Values) -> StoredProject:
        """Adds a project and its counters; without an event, as no token exists that could read it."""
        form.note(self._store.database, self._store.features.steps)
        project_id = new_id()
        counters = StoredCounters(_id=ObjectId(project_id), projectId=ObjectId(project_id), clusters=0, webhooks=0)
        self._counters.insert_one(counters, session=self._session)
        return self._insert(project_id, {**record, "id": project_id, "rev": 1, "outbox": []})

    def settings(self, project_id: str) -> StoredProject:
        """Returns a project's record; it exists, as a token named it."""
        return cast(StoredProject, self.get(project_id, project_id) or {})

    @cached(_recent, lambda self, project_id: (self._store.cache_scope, project_id), _recent_lock)
    def recent_settings(self, project_id: str) -> StoredProject:
        """Returns a project's record without its long fields as it was at most 3 s ago."""
        return shortened(self.settings(project_id))

    def find(self, project_id: str) -> StoredProject | None:
        """Returns a project by an id of any form, or None."""
        found = object_id(project_id)
        return self.from_bson(self._collection.find_one({"_id": found, "projectId": found}, self.hidden))

    def all(self) -> list[StoredProject]:
        """Returns every project, the oldest first, for the command line."""
        return [self.from_bson(row) for row in self._collection.find({}, self.hidden).sort("_id", 1)]

    def change(self, project_id: str, before: StoredProject, after: Values, events: Sequence[Event]) -> StoredProject:
        """Changes a project's settings. Raises as every `change` does."""
        changed = super().change(project_id, before, after, events)
        with _recent_lock:
            _recent.pop((self._store.cache_scope, project_id), None)
        return changed

    def count_up(self, project_id: str, what: Capped, cap: int, number: int = 1) -> bool:
        """Counts some more of something inside a transaction; False where that exceeds the cap."""
        below = {**own_record(project_id), what: {"$not": {"$gt": cap - number}}}  # none yet: none counted
        return self._counters.update_one(below, {"$inc": {what: number}}, session=self._session).matched_count > 0

    def count_down(self, project_id: str, what: Capped) -> None:
        """Counts one less of something inside a transaction."""
        self._counters.update_one(own_record(project_id), {"$inc": {what: -1}}, session=self._session)

    def conflict_on(self, project_id: str, what: str) -> None:
        """Makes every other transaction of the project that writes its counters conflict with this one.

        So a category that is moved in the tree is moved alone. `what` is the name of the counter that is written.
        """
        self._counters.update_one(own_record(project_id), {"$inc": {what: 1}}, session=self._session)
