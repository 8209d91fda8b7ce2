"""Members, clusters and categories as callers see them (decisions, sections 2 and 4)."""

from typing import TypedDict

from app.records.actors import CreatedRecord, ShownCreated
from app.records.types import Record, record_id, string, strings, timestamp
from app.rules.named import StoredCategory, StoredCluster, StoredClusterOrCategory, StoredMember
from app.rules.times import wire_time
from app.vocabulary import Role


class MemberRecord(Record):
    """A member of the project."""

    id = record_id("the member's id")
    name = string("their name", example="Ada Example")
    email = string("their e-mail address", null=True, example="ada@example.org")
    role = string("descriptive: permissions are the token's", one_of=Role)
    createdAt = timestamp("when they were added")


class NamedRecord(Record):
    """The first fields of clusters and categories."""

    id = record_id("its id")
    name = string("its name", example="Baking")


class ClusterRecord(CreatedRecord, NamedRecord):
    """A cluster."""

    name = string("its name, unique in the project ignoring case", example="Sourdough")
    description = string("what the topic covers", example="Wild yeast at home")
    keywords = strings("keywords the topic targets", example=["sourdough", "levain"])


class CategoryRecord(CreatedRecord, NamedRecord):
    """A category."""

    slug = string("its URL slug, unique in the project", example="baking")
    description = string("what it covers; writers receive it with each brief", example="Bread, from flour to crust")
    categoryId = record_id("the parent category", null=True)


class ShownMember(TypedDict):
    """A member as callers see them."""

    id: str
    name: str
    email: str | None
    role: str
    createdAt: str


class ShownDescribed(TypedDict):
    """What the record of a document says of its cluster or category."""

    id: str
    name: str
    description: str


class ShownNamed(ShownCreated, ShownDescribed):
    """What clusters and categories have in common, as callers see it."""


class ShownCluster(ShownNamed):
    """A cluster as callers see it."""

    keywords: list[str]


class ShownCategory(ShownNamed):
    """A category as callers see it."""

    slug: str
    categoryId: str | None


def member_record(member: StoredMember) -> ShownMember:
    """Returns a stored member as callers see them."""
    return {
        "id": member["id"],
        "name": member["name"],
        "email": member.get("email"),
        "role": member["role"],
        "createdAt": wire_time(member["createdAt"]),
    }


def cluster_record(cluster: StoredCluster, team_id: str) -> ShownCluster:
    """Returns a stored cluster as callers see it."""
    return {
        **_named(cluster, team_id),
        "keywords": cluster.get("keywords") or [],
    }


def category_record(category: StoredCategory, team_id: str) -> ShownCategory:
    """Returns a stored category as callers see it."""
    return {
        **_named(category, team_id),
        "slug": category["slug"],
        "categoryId": category.get("categoryId"),
    }


def described(record: StoredClusterOrCategory) -> ShownDescribed:
    """Returns what the record of a document says of its cluster or category."""
    return {"id": record["id"], "name": record["name"], "description": record.get("description") or ""}


def _named(record: StoredClusterOrCategory, team_id: str) -> ShownNamed:
    """Returns the fields that clusters and categories share."""
    return {
        **described(record),
        "projectId": record["projectId"],
        "teamId": team_id,
        "createdAt": wire_time(record["createdAt"]),
        "createdBy": record["createdBy"],
        "updatedAt": wire_time(record["updatedAt"]),
    }
