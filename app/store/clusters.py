"""Clusters: topics that documents cover together."""

import unicodedata

from app.rules.named import StoredCluster
from app.store.collection import object_id
from app.store.indexes import CLUSTERS_BY_NAME, NOT_DELETED
from app.store.named import Named


class Clusters(Named[StoredCluster]):
    """The clusters of a project."""

    name = "clusters"
    event_data = (("clusterId", "_id", None),)
    by_name = CLUSTERS_BY_NAME
    found_by = (("nameKey", CLUSTERS_BY_NAME),)

    def name_key(self, name: str) -> str:
        """Returns what two names of clusters must not share: the name composed, trimmed and case-folded."""
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())

    def is_name_taken(self, project_id: str, name: str, but: str | None = None) -> bool:
        """Returns whether a cluster has the name, ignoring case."""
        return self._exists(project_id, {"nameKey": self.name_key(name), "_id": {"$ne": object_id(but)}, **NOT_DELETED})

    def get_by_name(self, project_id: str, name: str) -> StoredCluster | None:
        """Returns the cluster that has a name, ignoring case, or None."""
        return self._find_one(project_id, {"nameKey": self.name_key(name), **NOT_DELETED}, self.hidden)
