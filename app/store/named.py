"""What members, clusters and categories have in common, a name; and members and clusters themselves.

The name is what they are listed, found and referred to by.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import ClassVar

from app.rules.named import StoredCluster, StoredMember, name_key
from app.store.collection import OutboxCollection, Stored, object_id
from app.store.indexes import FIRST_ID, NOT_DELETED
from app.store.types import Bson, Values
from app.vocabulary import Digest


class Named(OutboxCollection[Stored]):
    """Records with a name."""

    by_name: ClassVar[Sequence[tuple[str, int]]] = (("nameKey", 1), ("_id", 1))
    """The order of lists."""

    unique: ClassVar[str]
    """The field that no two records of a project have in common, where there is one."""

    found_by: ClassVar[Sequence[str]]
    """The fields whose value, without case, names a record."""

    def keys(self, fields: Values, before: Values | None = None) -> Bson:
        return {"nameKey": name_key(fields["name"])} if fields.get("name") else {}

    def find_same(self, project_id: str, fields: Values, exclude: str | None = None) -> Stored | None:
        """Returns the record other than `exclude` whose `unique` field is that of `fields`, or None."""
        value = {**fields, **self.keys(fields)}.get(self.unique)
        same = {self.unique: value, "_id": {"$ne": object_id(exclude)}, **NOT_DELETED}
        return self._find_one(project_id, same, self.hidden) if value else None

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

    def refer_to(self, project_id: str, record_id: str) -> bool:
        """Returns whether there is a record for the transaction to refer to.

        Writes to it, so that deleting it at the same time conflicts with this transaction.
        """
        where = self._where(project_id, {"_id": object_id(record_id), **NOT_DELETED})
        return self._collection.update_one(where, {"$inc": {"uses": 1}}, session=self._session).matched_count > 0


class Clusters(Named[StoredCluster]):
    """The clusters of a project."""

    name = "clusters"
    event_data = (("clusterId", "id"),)
    by_name = (("nameKey", 1),)
    unique = "nameKey"
    found_by = ("nameKey",)


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

    def with_digest(self, project_id: str, digest: Digest) -> Sequence[StoredMember]:
        """Returns the members with a given `digest`."""
        return self._find(project_id, {"notify.digest": digest, **NOT_DELETED}, fields=self.hidden)

    def told_daily(self, hour: int) -> Sequence[StoredMember]:
        """Returns the members of all projects who get a daily notice at an hour."""
        told = {"projectId": {"$gte": FIRST_ID}, "notify.digest": Digest.DAILY, "notify.hour": hour, **NOT_DELETED}
        return [self.from_bson(row) for row in self._collection.find(told, self.hidden)]

    def with_email(self, email: str) -> list[StoredMember]:
        """Returns the members of all projects who have this e-mail address, since signing in names no project."""
        key = name_key(email)
        found = self._collection.find({"emailKey": key, **NOT_DELETED}, self.hidden).limit(100) if key else ()
        return [self.from_bson(row) for row in found]
