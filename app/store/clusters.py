"""Clusters: topics that documents cover together."""

from __future__ import annotations

import builtins
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from bson import ObjectId

from app.rules.clusters import StoredCluster
from app.rules.events import Event
from app.store.collection import object_id
from app.store.filing import Filing
from app.store.indexes import CLUSTERS_BY_NAME


def name_key(name: str) -> str:
    """Returns what two names of clusters must not share: the name composed, trimmed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


class Clusters(Filing[StoredCluster]):
    """The clusters of a project."""

    name = "clusters"
    event_data = (("clusterId", "_id", None),)

    def add(self, project_id: str, record: Mapping[str, Any], event: Event) -> StoredCluster:
        """Adds a cluster, with the key that its name is unique by."""
        return super().add(project_id, {**record, "nameKey": name_key(record["name"]), "deletedAt": None}, event)

    def is_name_taken(self, project_id: str, name: str, but: str | None = None) -> bool:
        """Returns whether a cluster has the name, ignoring case."""
        condition = {"nameKey": name_key(name), "_id": {"$ne": object_id(but)}, "deletedAt": None}
        return self._find_one(project_id, condition, {"_id": 1}) is not None

    def find_named(self, project_id: str, names: Iterable[str]) -> dict[str, set[str]]:
        """Returns, for each name, the id of the cluster that has it, ignoring case."""
        keys = {name: name_key(name) for name in names}
        if not keys:
            return {}
        condition = {"nameKey": {"$in": sorted(set(keys.values()))}, "deletedAt": None}
        rows: builtins.list[Any] = self._find(project_id, condition, fields={"nameKey": 1}, index=CLUSTERS_BY_NAME)
        ids = {row["nameKey"]: row["id"] for row in rows}
        return {name: {ids[key]} for name, key in keys.items() if key in ids}

    def get_by_name(self, project_id: str, name: str) -> StoredCluster | None:
        """Returns the cluster that has a name, ignoring case, or None."""
        return self._find_one(project_id, {"nameKey": name_key(name), "deletedAt": None}, self.hidden)

    def list(self, project_id: str, *, limit: int, offset: int) -> list[StoredCluster]:
        """Returns one page of clusters by name, which is unique."""
        by_name, condition = (("nameKey", 1),), {"deletedAt": None}
        return self._find(
            project_id, condition, sort=by_name, skip=offset, limit=limit, fields=self.hidden, index=CLUSTERS_BY_NAME
        )

    def update(
        self, project_id: str, cluster_id: str, changes: Mapping[str, Any], now: datetime, event: Event, rev: int
    ) -> StoredCluster | None:
        """Changes a cluster, unless it changed since it was read."""
        keys = {"nameKey": name_key(changes["name"])} if "name" in changes else {}
        condition = {"_id": ObjectId(cluster_id), "deletedAt": None, "rev": rev}
        return self._change(project_id, condition, event=event, changes={**changes, **keys, "updatedAt": now})
