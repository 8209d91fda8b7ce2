"""Cluster records (decisions, section 4)."""

from typing import Any

from app.records.actors import ActorRecord
from app.records.kinds import Record, record_id, table, text, texts, time
from app.rules.clusters import StoredCluster
from app.rules.times import wire_time


class ClusterRecord(Record):
    """A cluster."""

    id = record_id("the cluster's id")
    projectId = record_id("its project")
    teamId = record_id("the project's team")
    name = text("its name, unique in the project ignoring case", example="Sourdough")
    description = text("what the topic covers", example="Wild yeast at home")
    keywords = texts("keywords the topic targets", example=["sourdough", "levain"])
    createdAt = time("when it was made")
    updatedAt = time("when it last changed")
    createdBy = table(ActorRecord, "who made it")


def cluster_record(cluster: StoredCluster, team_id: str) -> dict[str, Any]:
    """Returns a stored cluster as callers see it."""
    return {
        "id": cluster["id"],
        "projectId": cluster["projectId"],
        "teamId": team_id,
        "name": cluster["name"],
        "description": cluster.get("description") or "",
        "keywords": cluster.get("keywords") or [],
        "createdAt": wire_time(cluster["createdAt"]),
        "updatedAt": wire_time(cluster["updatedAt"]),
        "createdBy": cluster["createdBy"],
    }
