"""Cluster records (decisions, section 4)."""

from typing import Any

from app.records.actors import ActorRecord
from app.records.types import Record, nested, record_id, string, strings, timestamp
from app.rules.named import StoredCluster
from app.rules.times import wire_time


class ClusterRecord(Record):
    """A cluster."""

    id = record_id("the cluster's id")
    projectId = record_id("its project")
    teamId = record_id("the project's team")
    name = string("its name, unique in the project ignoring case", example="Sourdough")
    description = string("what the topic covers", example="Wild yeast at home")
    keywords = strings("keywords the topic targets", example=["sourdough", "levain"])
    createdAt = timestamp("when it was created")
    updatedAt = timestamp("when it last changed")
    createdBy = nested(ActorRecord, "who created it")


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
