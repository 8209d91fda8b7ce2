"""Clusters: topics that documents cover together."""

import unicodedata

from app.rules.named import StoredCluster
from app.store.indexes import CLUSTERS_BY_NAME
from app.store.named import Named


class Clusters(Named[StoredCluster]):
    """The clusters of a project."""

    name = "clusters"
    event_data = (("clusterId", "_id", None),)
    by_name = CLUSTERS_BY_NAME
    unique = "nameKey"
    found_by = (("nameKey", CLUSTERS_BY_NAME),)

    def name_key(self, name: str) -> str:
        """Returns what two names of clusters must not share: the name composed, trimmed and case-folded."""
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())
