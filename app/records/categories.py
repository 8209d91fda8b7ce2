"""Category records (decisions, section 4)."""

from typing import Any

from app.records.actors import ActorRecord
from app.records.types import Record, nested, record_id, string, timestamp
from app.rules.named import StoredCategory
from app.rules.times import wire_time


class CategoryRecord(Record):
    """A category."""

    id = record_id("the category's id")
    projectId = record_id("its project")
    teamId = record_id("the project's team")
    name = string("its name", example="Baking")
    slug = string("its URL slug, unique in the project", example="baking")
    description = string("what it covers; writers receive it with each brief", example="Bread, from flour to crust")
    categoryId = record_id("the parent category", null=True)
    createdAt = timestamp("when it was created")
    updatedAt = timestamp("when it last changed")
    createdBy = nested(ActorRecord, "who created it")


def category_record(category: StoredCategory, team_id: str) -> dict[str, Any]:
    """Returns a stored category as callers see it."""
    return {
        "id": category["id"],
        "projectId": category["projectId"],
        "teamId": team_id,
        "name": category["name"],
        "slug": category["slug"],
        "description": category.get("description") or "",
        "categoryId": category.get("categoryId"),
        "createdAt": wire_time(category["createdAt"]),
        "updatedAt": wire_time(category["updatedAt"]),
        "createdBy": category["createdBy"],
    }
