"""Categories: a tree of names that documents are filed under."""

from collections.abc import Mapping
from typing import Any

from bson import ObjectId

from app.store.collection import Record, Recorded, object_id
from app.rules.events import Event


class Categories(Recorded):
    """The categories of a project."""

    name = "categories"
    event_data = (("categoryId", "_id", None), ("slug", "slug", None))

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> Record:
        """Adds a category, with the key that lists sort by."""
        return super().add(project_id, {**record, "nameKey": record["name"].casefold()}, event)

    def use(self, project_id: str, category_id: str) -> Record | None:
        """Returns a category that the transaction refers to, None where there is none.

        Writes to it, so that whoever deletes or renames it at the same time conflicts with this transaction.
        """
        found = self._collection.find_one_and_update(
            self._where(project_id, {"_id": object_id(category_id)}), {"$inc": {"uses": 1}}, session=self._session
        )
        return None if found is None else {"id": str(found["_id"]), "name": found["name"]}

    def slug_taken(self, project_id: str, slug: str, but: str | None = None) -> bool:
        """Tells whether a category has the slug."""
        return self._find_one(project_id, {"slug": slug, "_id": {"$ne": object_id(but)}}, {"_id": 1}) is not None

    def list(self, project_id: str, *, limit: int, offset: int) -> list[Record]:
        """Returns one page of categories by name."""
        by_name = (("nameKey", 1), ("_id", 1))
        return self._find(project_id, {}, sort=by_name, skip=offset, limit=limit, fields={"outbox": 0})

    def brief_part(self, project_id: str, category_id: str) -> Record | None:
        """Returns what a writer learns of a category: `id`, `name`, `description`."""
        fields = {"name": 1, "description": 1}
        return self._find_one(project_id, {"_id": ObjectId(category_id)}, fields)
