"""Clusters: topics that documents cover together."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from app.rules.events import Event
from app.store.collection import Record, Recorded, object_id


def name_key(name: str) -> str:
    """Returns what two names of clusters must not share: the name composed, trimmed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


class Clusters(Recorded):
    """The clusters of a project."""

    name = "clusters"
    event_data = (("clusterId", "_id", None),)

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> Record:
        """Adds a cluster, with the key that keeps its name unique."""
        return super().add(project_id, {**record, "nameKey": name_key(record["name"])}, event)

    def use(self, project_id: str, cluster_id: str) -> Record | None:
        """Returns a cluster that the transaction refers to, None where there is none.

        Writes to it, so that whoever deletes it at the same time conflicts with this transaction.
        """
        found = self._collection.find_one_and_update(
            self._where(project_id, {"_id": object_id(cluster_id)}), {"$inc": {"uses": 1}}, session=self._session
        )
        return None if found is None else {"id": str(found["_id"]), "name": found["name"]}

    def name_taken(self, project_id: str, name: str, but: str | None = None) -> bool:
        """Tells whether a cluster has the name, ignoring case."""
        condition = {"nameKey": name_key(name), "_id": {"$ne": object_id(but)}}
        return self._find_one(project_id, condition, {"_id": 1}) is not None

    def list(self, project_id: str, *, limit: int, offset: int) -> list[Record]:
        """Returns one page of clusters by name."""
        by_name = (("nameKey", 1), ("_id", 1))
        return self._find(project_id, {}, sort=by_name, skip=offset, limit=limit, fields={"outbox": 0})
