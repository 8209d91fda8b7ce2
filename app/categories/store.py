"""Categories: a tree of names that documents are filed under."""

import threading
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from bson import ObjectId
from cachetools import TTLCache

from app.categories.rules import StoredCategory, StoredCluster
from app.core.errors import WriteConflict
from app.core.events import Event
from app.core.slugs import name_key
from app.core.store.caches import SingleFlight
from app.core.store.collection import Stored, from_bson, object_id, to_bson
from app.core.store.indexes import NOT_DELETED, Storage, index, key_index, types
from app.core.store.named import Named
from app.core.store.types import Bson, Values
from app.core.store.validators import TEXT, record_validator

STORAGE = Storage(
    indexes=(
        index("clusters", "projectId nameKey", "a cluster's name is unique; lists by name", NOT_DELETED, unique=True),
        index("categories", "projectId nameKey _id", "lists by name", NOT_DELETED),
        index("categories", "projectId slug", "a category's slug is unique", NOT_DELETED, unique=True),
        index("categories", "projectId categoryId", "whether a category has subcategories", NOT_DELETED),
        *map(key_index, ("categories", "clusters")),
    ),
    shard_keys=dict.fromkeys(("categories", "clusters"), "projectId"),
    validators={"categories": record_validator(name=TEXT, slug=TEXT), "clusters": record_validator(name=TEXT)},
    outboxes=("categories", "clusters"),
    tombstones=("categories", "clusters"),
    events=types("category", "created updated deleted") + types("cluster", "created updated deleted"),
)


class Referable(Named[Stored]):
    """Records that others refer to, and that are deleted only when none does.

    Who refers to a record writes to it, so that deleting it at the same time conflicts. Drafts that are confirmed
    don't, or all that name one category would conflict with each other.
    """

    def refer_to(self, project_id: str, record_id: str) -> bool:
        """Returns whether there is a record for the transaction to refer to, which then can't be deleted meanwhile."""
        change = {"$inc": {"uses": 1}, "$unset": {"deleting": ""}}
        where = self._live(project_id, record_id)
        return self._collection.update_one(where, change, session=self._session).matched_count > 0

    def refer_from_draft(self, project_id: str, record_id: str) -> bool:
        """Does the same in a transaction that deletes a draft that names the record; it seldom writes.

        If it began before `announce_deletion`, it conflicts with who deletes the record on the draft, which both write
        (`Intents.conflict_on`). If it began later, it sees the announcement, and writes to the record.
        """
        row: Any = self._find_one(project_id, {"_id": object_id(record_id), **NOT_DELETED}, {"deleting": 1})
        return row is not None and ("deleting" not in row or self.refer_to(project_id, record_id))

    def announce_deletion(self, project_id: str, record_id: str) -> None:
        """Has drafts that are confirmed from now on write to a record; before the transaction that deletes it."""
        announced = {"$set": {"deleting": True}}
        self._collection.update_one(self._live(project_id, record_id), announced, session=self._session)

    def delete(self, project_id: str, before: Stored, event: Event) -> Stored:
        """Marks a record as deleted. Raises as `change` does, and `WriteConflict` if the announcement was ended."""
        if "deleting" not in before:
            raise WriteConflict
        return super().delete(project_id, before, event)

    def _live(self, project_id: str, record_id: str) -> Bson:
        return self._where(project_id, {"_id": object_id(record_id), **NOT_DELETED})


class Clusters(Referable[StoredCluster]):
    """The clusters of a project."""

    name = "clusters"
    event_data = (("clusterId", "id"),)
    by_name = (("nameKey", 1),)
    unique = "nameKey"
    found_by = ("nameKey",)


_name_reads: SingleFlight[dict[str, str]] = SingleFlight()
_recent_names: TTLCache[Hashable, dict[str, str]] = TTLCache(1_000, 3)
"""Names of categories, so that a page of briefs is one command: a new name is shown within 3 s, by the process that
wrote it at once."""
_renamed: TTLCache[Hashable, bool] = TTLCache(10_000, 15)
"""Projects of which this process changed a category, for longer than the transaction may last."""
_names_lock = threading.Lock()


class Categories(Referable[StoredCategory]):
    """The categories of a project."""

    name = "categories"
    event_data = (("categoryId", "id"), ("slug", "slug"))
    unique = "slug"
    found_by = ("nameKey", "slug")

    def count(self, project_id: str) -> int:
        """Returns the number of the project's categories.

        Holds as a cap inside a transaction that adds a category: two of them conflict (`Projects.conflict_on`), and one
        runs again.
        """
        return self._count(project_id, NOT_DELETED)

    def find_by_name_or_slug(self, project_id: str, name: str, **within: str | None) -> StoredCategory | None:
        """Returns the category with a name, ignoring case, or else with this slug; None without either.

        With `categoryId` only a subcategory of that one, for None one without a parent.
        """
        parent = to_bson(within)
        for condition in ({"nameKey": name_key(name)}, {"slug": name}):
            if found := self._find_one(project_id, {**condition, **parent, **NOT_DELETED}, {"name": 1, "slug": 1}):
                return found
        return None

    def names(self, project_id: str, category_ids: Iterable[str]) -> dict[str, str]:
        """Returns the names of categories by id; requests that need the same ones at the same time share the read."""
        wanted = sorted(set(category_ids))
        key = (self._store.cache_scope, project_id, *wanted)
        with _names_lock:
            names = {} if key[:2] in _renamed else _recent_names.get(key, {})
        if wanted and not names:
            names = _name_reads.read(key, partial(super().names, project_id, wanted))
            with _names_lock:
                _recent_names[key] = names
        return names

    def change(self, project_id: str, before: StoredCategory, after: Values, events: Sequence[Event]) -> StoredCategory:
        """Changes a category. Raises as every `change` does."""
        with _names_lock:
            _renamed[self._store.cache_scope, project_id] = True
        return super().change(project_id, before, after, events)

    def get_path(self, project_id: str, category_id: str) -> Sequence[StoredCategory]:
        """Returns the categories from the root to one, `id`, `name` and `description` of each.

        In one read, but inside of a transaction in one for each, as `_upwards` says.
        """
        if self._session:
            return self._upwards(project_id, category_id)[::-1]
        live = self._where(project_id, NOT_DELETED)
        above = {
            "from": self.name,
            "startWith": "$categoryId",
            "connectFromField": "categoryId",
            "connectToField": "_id",
            "as": "above",
            "depthField": "depth",
            "restrictSearchWithMatch": live,
        }
        fields = {"name": 1, "description": 1, "above._id": 1, "above.name": 1, "above.depth": 1}
        stages = [{"$match": {"_id": object_id(category_id), **live}}, {"$graphLookup": above}, {"$project": fields}]
        for category in self._collection.aggregate(stages, session=self._session):
            ancestors = sorted(category["above"], key=lambda one: -one["depth"])
            return [from_bson(one) for one in (*ancestors, category)]
        return []

    def get_ancestor_ids(self, project_id: str, category_id: str) -> set[str]:
        """Returns the ids of a category and of all above it, inside a transaction that holds the tree's guard."""
        return {one["id"] for one in self._upwards(project_id, category_id)}

    def _upwards(self, project_id: str, category_id: str) -> list[StoredCategory]:
        """Returns a category and those above it, up to the root, inside a transaction.

        MongoDB refuses `$graphLookup` on a sharded collection there, and what is read outside of it lacks a move that
        most members of the replica set do not have yet.
        """
        above: dict[str, StoredCategory] = {}
        step: str | None = category_id
        fields = {"name": 1, "description": 1, "categoryId": 1}
        while (
            step
            and step not in above
            and (row := self._find_one(project_id, {"_id": object_id(step), **NOT_DELETED}, fields))
        ):
            above[step], step = row, row["categoryId"]
        return [*above.values()]

    def has_subcategories(self, project_id: str, category_id: str) -> bool:
        """Returns whether a category has subcategories."""
        return self._exists(project_id, {"categoryId": ObjectId(category_id), **NOT_DELETED})
