"""Members: the people that documents are assigned to."""

import builtins
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bson import ObjectId

from app.rules.events import Event
from app.rules.members import StoredMember
from app.store.collection import Bson, EntityTags, Recorded, etag_filter, object_id, object_ids
from app.store.indexes import MEMBERS_BY_EMAIL, MEMBERS_BY_NAME


class Members(Recorded[StoredMember]):
    """The members of a project; a deleted one stays stored, as records go on naming it."""

    name = "members"
    event_data = (("memberId", "_id", None),)

    def get(self, project_id: str, record_id: str) -> StoredMember | None:
        """Returns a member that was not deleted, or None."""
        return self._find_one(project_id, {"_id": ObjectId(record_id), "deletedAt": None}, {"outbox": 0})

    def get_including_deleted(self, project_id: str, member_id: str) -> StoredMember | None:
        """Returns a member, also one that was deleted, or None."""
        return self._find_one(project_id, {"_id": ObjectId(member_id)}, {"outbox": 0})

    def exists(self, project_id: str, member_id: str) -> bool:
        """Returns whether there is such a member to assign something to."""
        condition = {"_id": object_id(member_id), "deletedAt": None}
        return self._find_one(project_id, condition, {"_id": 1}) is not None

    def names(self, project_id: str, member_ids: Iterable[str]) -> dict[str, str]:
        """Returns the names of those of the members that were not deleted, by id, in one read."""
        wanted = object_ids(set(member_ids))
        if not wanted:
            return {}
        rows = self._find(project_id, {"_id": {"$in": wanted}, "deletedAt": None}, fields={"name": 1})
        return {row["id"]: row["name"] for row in rows}

    def list(self, project_id: str, *, limit: int, offset: int) -> list[StoredMember]:
        """Returns one page of members by name."""
        by_name = (("nameKey", 1), ("_id", 1))
        condition = {"deletedAt": None}
        return self._find(
            project_id, condition, sort=by_name, skip=offset, limit=limit, fields={"outbox": 0}, index=MEMBERS_BY_NAME
        )

    def find_named(self, project_id: str, names: Iterable[str]) -> dict[str, set[str]]:
        """Returns, for each name or e-mail address, the ids of the members that have it, ignoring case.

        A member that an earlier version stored has no `emailKey`: all of those are read.
        """
        keys = {name: key for name in names if (key := name.strip().casefold())}
        if not keys:
            return {}
        wanted, fields = sorted(set(keys.values())), {"nameKey": 1, "email": 1}
        by_name = {"nameKey": {"$in": wanted}, "deletedAt": None}
        by_email = {"emailKey": {"$in": [*wanted, None]}, "deletedAt": None}
        rows: builtins.list[Any] = []
        rows += self._find(project_id, by_name, fields=fields, index=MEMBERS_BY_NAME)
        rows += self._find(project_id, by_email, fields=fields, index=MEMBERS_BY_EMAIL)
        ids: dict[str, set[str]] = {}
        for row in rows:
            for key in (row["nameKey"], (row.get("email") or "").casefold()):
                ids.setdefault(key, set()).add(row["id"])
        return {name: ids.get(key, set()) for name, key in keys.items()}

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> StoredMember:
        """Adds a member, with the keys that lists sort by and names are found by."""
        return super().add(project_id, {"deletedAt": None, **record, **_keys(record)}, event)

    def update(
        self, project_id: str, member_id: str, changes: Mapping[str, Any], event: Event, tags: EntityTags
    ) -> StoredMember | None:
        """Changes a member if that changes something."""
        differs = [{name: {"$ne": value}} for name, value in changes.items()]
        condition: Bson = {"_id": ObjectId(member_id), "deletedAt": None, "$or": differs}
        return self._change(
            project_id, condition | etag_filter(tags), event=event, changes={**changes, **_keys(changes)}
        )

    def delete(
        self, project_id: str, member_id: str, now: datetime, event: Event, tags: EntityTags
    ) -> StoredMember | None:
        """Deletes a member."""
        condition: Bson = {"_id": ObjectId(member_id), "deletedAt": None} | etag_filter(tags)
        return self._change(project_id, condition, event=event, changes={"deletedAt": now})


def _keys(record: Mapping[str, Any]) -> dict[str, str]:
    keys = {"nameKey": record["name"].casefold()} if "name" in record else {}
    return keys | ({"emailKey": (record["email"] or "").casefold()} if "email" in record else {})
