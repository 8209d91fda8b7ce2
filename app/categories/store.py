"""Categories: a tree of names that documents are filed under."""

import threading
from collections.abc import Hashable, Iterable, Sequence
from functools import partial

from bson import ObjectId
from cachetools import TTLCache

from app.categories.rules import StoredCategory, StoredCluster
from app.core.events import Event
from app.core.named import name_key
from app.core.slugs import slug_of
from app.core.store.collection import from_bson, object_id
from app.core.store.indexes import NOT_DELETED, Storage, index
from app.core.store.named import Named
from app.core.store.single_flight import SingleFlight
from app.core.store.types import Values
from app.core.store.validators import TEXT, record_validator

STORAGE = Storage(
    indexes=(
        index("clusters", "projectId nameKey", "a cluster's name is unique; lists by name", NOT_DELETED, unique=True),
        index("categories", "projectId nameKey _id", "lists by name", NOT_DELETED),
        index("categories", "projectId slug", "a category's slug is unique", NOT_DELETED, unique=True),
        index("categories", "projectId categoryId", "whether a category has subcategories", NOT_DELETED),
    ),
    validators={"categories": record_validator(name=TEXT, slug=TEXT), "clusters": record_validator(name=TEXT)},
    outboxes=("categories", "clusters"),
    tombstones=("categories", "clusters"),
)


class Clusters(Named[StoredCluster]):
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


class Categories(Named[StoredCategory]):
    """The categories of a project."""

    name = "categories"
    event_data = (("categoryId", "id"), ("slug", "slug"))
    unique = "slug"
    found_by = ("nameKey", "slug")

    def count(self, project_id: str) -> int:
        """Returns the number of the project's categories.

        Holds as a cap inside a transaction that adds a category: every such transaction also writes the project's
        delivery revision (`Projects.delivery_changed`), so two of them conflict and one runs again.
        """
        return self._count(project_id, NOT_DELETED)

    def find_by_name_or_slug(self, project_id: str, name: str) -> StoredCategory | None:
        """Returns the category with a name, ignoring case, or else with the slug that it makes; None without either."""
        for condition in ({"nameKey": name_key(name)}, {"slug": slug_of(name)}):
            if found := self._find_one(project_id, {**condition, **NOT_DELETED}, {"name": 1}):
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
        """Returns the categories from the root to one, `id`, `name` and `description` of each, in one read."""
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
        """Returns the ids of a category and of all above it, inside a transaction that holds the tree's guard.

        `get_path` can't serve: MongoDB refuses `$graphLookup` on a sharded collection inside of a transaction, and what
        is read outside of it lacks a move that most members of the replica set do not have yet.
        """
        above: set[str] = set()
        step: str | None = category_id
        while step is not None and step not in above:
            above.add(step)
            row = self._find_one(project_id, {"_id": ObjectId(step), **NOT_DELETED}, {"categoryId": 1})
            step = row["categoryId"] if row else None
        return above

    def has_subcategories(self, project_id: str, category_id: str) -> bool:
        """Returns whether a category has subcategories."""
        return self._exists(project_id, {"categoryId": ObjectId(category_id), **NOT_DELETED})
