"""Looks up what a record names: which of the members, categories, clusters and documents exist."""

from collections.abc import Iterable, Mapping
from typing import Any

from app.rules.references import Found
from app.store.store import Store


def look_up(store: Store, project_id: str, fields: Mapping[str, Any], links: Iterable[str] = ()) -> Found:
    """Returns which of the ids that the fields name exist in the project.

    Inside a transaction, categories and clusters are written to, so that none of them can be deleted meanwhile.
    """
    found = Found()
    for name in ("assigneeId", "authorId"):
        if (member := fields.get(name)) and store.members.exists(project_id, member):
            found.members.add(member.lower())
    if (named := fields.get("categoryId")) and (category := store.categories.refer_to(project_id, named)):
        found.categories[category["id"]] = category["name"]
    if (named := fields.get("clusterId")) and (cluster := store.clusters.refer_to(project_id, named)):
        found.clusters.add(cluster["id"])
    found.documents = store.documents.find_existing(project_id, links)
    return found
