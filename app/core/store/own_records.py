"""Records that a project has one of in a collection, under its own id: its feed, its counters, its revision."""

from bson import ObjectId

from app.core.store.types import Bson


def own_record(project_id: str) -> Bson:
    """Returns the condition for the record of a project; with the project, so that it is on one shard."""
    return {"_id": ObjectId(project_id), "projectId": ObjectId(project_id)}
