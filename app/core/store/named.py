"""Base class of the collections of members, clusters and categories: records with a name.

The name is what they are listed, found and referred to by.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import ClassVar

from app.core.slugs import MAX_LENGTH, first_free, name_key, slug_of
from app.core.store.collection import OutboxCollection, Stored, object_id
from app.core.store.indexes import NOT_DELETED
from app.core.store.types import Bson, Values

_DIGITS = 10
"""The longest ending that tells slugs of the same name apart, as `-2`."""


class Named(OutboxCollection[Stored]):
    """Records with a name."""

    by_name: ClassVar[Sequence[tuple[str, int]]] = (("nameKey", 1), ("_id", 1))
    """The order of lists."""

    unique: ClassVar[str]
    """The field that no two records of a project have in common, where there is one; of members there are two."""

    found_by: ClassVar[Sequence[str]]
    """The fields whose value, without case, names a record."""

    def keys(self, fields: Values, before: Values | None = None) -> Bson:
        return {"nameKey": name_key(fields["name"])} if fields.get("name") else {}

    def find_same(
        self, project_id: str, fields: Values, exclude: str | None = None, *, unique: str = ""
    ) -> Stored | None:
        """Returns the record other than `exclude` whose `unique` field is that of `fields`, or None."""
        name = unique or self.unique
        value = {**fields, **self.keys(fields)}.get(name)
        same = {name: value, "_id": {"$ne": object_id(exclude)}, **NOT_DELETED}
        return self._find_one(project_id, same, self.hidden) if value else None

    def free_slug(self, project_id: str, name: str) -> str:
        """Returns the slug that a name makes, with a number where another record has it."""
        slug = slug_of(name)
        condition = {"slug": {"$regex": f"^{slug[: MAX_LENGTH - _DIGITS]}.{{0,{_DIGITS}}}$"}, **NOT_DELETED}
        taken = {row["slug"] for row in self._find(project_id, condition, fields={"slug": 1})}
        return first_free(slug, taken)

    def list(self, project_id: str, *, limit: int, offset: int) -> list[Stored]:
        """Returns one page of records by name."""
        return self._find(project_id, NOT_DELETED, sort=self.by_name, skip=offset, limit=limit, fields=self.hidden)

    def find_named(self, project_id: str, names: Iterable[str]) -> dict[str, set[str]]:
        """Returns, for each name, the ids of the records that have it in one of the fields `found_by`."""
        keys = {name: key for name in names if (key := name_key(name))}
        ids: dict[str, set[str]] = defaultdict(set)
        for field in self.found_by if keys else ():
            condition = {field: {"$in": sorted(set(keys.values()))}, **NOT_DELETED}
            for row in self._find(project_id, condition, fields={field: 1}):
                ids[row[field]].add(row["id"])
        return {name: ids[key] for name, key in keys.items()}

    def names(self, project_id: str, record_ids: Iterable[str]) -> dict[str, str]:
        """Returns the names of those of the records that were not deleted, by id, in one read."""
        found = self._by_id(project_id, record_ids, {"name": 1}, **NOT_DELETED)
        return {record_id: row["name"] for record_id, row in found.items()}
