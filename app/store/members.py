"""Members: the people that documents are assigned to."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bson import ObjectId

from app.rules.events import Event
from app.rules.members import StoredMember
from app.store.collection import EntityTags, Record, Recorded, etag_filter, object_id, object_ids
from app.store.indexes import MEMBERS_BY_NAME


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
        """Tells whether there is such a member to assign something to."""
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

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> StoredMember:
        """Adds a member, with the key that lists sort by."""
        return super().add(project_id, {"deletedAt": None, **record, "nameKey": record["name"].casefold()}, event)

    def update(
        self, project_id: str, member_id: str, changes: Mapping[str, Any], event: Event, tags: EntityTags
    ) -> StoredMember | None:
        """Changes a member if that changes something."""
        differs = [{name: {"$ne": value}} for name, value in changes.items()]
        condition: Record = {"_id": ObjectId(member_id), "deletedAt": None, "$or": differs}
        keys = {"nameKey": changes["name"].casefold()} if "name" in changes else {}
        return self._change(project_id, condition | etag_filter(tags), event=event, changes={**changes, **keys})

    def delete(
        self, project_id: str, member_id: str, now: datetime, event: Event, tags: EntityTags
    ) -> StoredMember | None:
        """Deletes a member."""
        condition: Record = {"_id": ObjectId(member_id), "deletedAt": None} | etag_filter(tags)
        return self._change(project_id, condition, event=event, changes={"deletedAt": now})
