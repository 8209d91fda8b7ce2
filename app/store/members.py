"""Members: the people that documents are assigned to."""

from collections.abc import Iterable, Mapping
from typing import Any

from bson import ObjectId

from app.rules.named import StoredMember
from app.store.collection import Bson, object_id, object_ids
from app.store.indexes import MEMBERS_BY_EMAIL, MEMBERS_BY_NAME, NOT_DELETED
from app.store.named import Named


class Members(Named[StoredMember]):
    """The members of a project; a deleted one stays stored, as records go on naming it."""

    name = "members"
    event_data = (("memberId", "_id", None),)
    has_update_time = False
    by_name = MEMBERS_BY_NAME
    found_by = (("nameKey", MEMBERS_BY_NAME), ("emailKey", MEMBERS_BY_EMAIL))

    def keys(self, fields: Mapping[str, Any]) -> Bson:
        email = {"emailKey": (fields["email"] or "").casefold()} if "email" in fields else {}
        return super().keys(fields) | email

    def get_including_deleted(self, project_id: str, member_id: str) -> StoredMember | None:
        """Returns a member, also one that was deleted, or None."""
        return self._find_one(project_id, {"_id": ObjectId(member_id)}, self.hidden)

    def exists(self, project_id: str, member_id: str) -> bool:
        """Returns whether there is such a member to assign something to."""
        return self._exists(project_id, {"_id": object_id(member_id), **NOT_DELETED})

    def names(self, project_id: str, member_ids: Iterable[str]) -> dict[str, str]:
        """Returns the names of those of the members that were not deleted, by id, in one read."""
        wanted = object_ids(set(member_ids))
        if not wanted:
            return {}
        rows = self._find(project_id, {"_id": {"$in": wanted}, **NOT_DELETED}, fields={"name": 1})
        return {row["id"]: row["name"] for row in rows}

    def find_named(self, project_id: str, names: Iterable[str]) -> dict[str, set[str]]:
        """Returns, for each name or e-mail address, the ids of the members that have it, ignoring case.

        A member that an earlier version stored has no `emailKey`: all of those are read.
        """
        found = super().find_named(project_id, names)
        without_key = {"emailKey": None, **NOT_DELETED}
        for row in self._find(project_id, without_key, fields={"email": 1}, index=MEMBERS_BY_EMAIL) if found else ():
            for name, ids in found.items():
                if row.get("email") and name.strip().casefold() == (row["email"] or "").casefold():
                    ids.add(row["id"])
        return found
