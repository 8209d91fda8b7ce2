"""Members, clusters and categories as callers see them, and what documents have in common with them.

(decisions, sections 2 and 4)
"""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import Id, Timestamp, doc, one_of
from app.responses.records import record_of
from app.rules.actors import Actor
from app.rules.named import Notify, StoredCategory, StoredCluster, StoredMember
from app.rules.notices import masked, notify_of
from app.vocabulary import Role


class Identified(TypedDict):
    """A record's id."""

    id: Annotated[Id, doc("its id")]


class Created(TypedDict):
    """Where a document, cluster or category belongs, and who created it."""

    projectId: Annotated[Id, doc("its project")]
    teamId: Annotated[Id, doc("the project's team")]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    createdBy: Annotated[Actor, doc("who created it")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]


class Member(TypedDict):
    """A member of the project."""

    id: Annotated[Id, doc("the member's id")]
    name: Annotated[str, doc("their name", "Ada Example")]
    email: Annotated[str | None, doc("their e-mail address", "ada@example.org")]
    role: Annotated[str, one_of(Role), doc("descriptive: permissions are the token's")]
    notify: Annotated[Notify, doc("how they are told of what waits for them")]
    createdAt: Annotated[Timestamp, doc("when they were added")]


class BriefCluster(TypedDict):
    """The cluster of a brief, with what the writer should know of it."""

    id: Annotated[Id, doc("the cluster's id")]
    name: Annotated[str, doc("its name, unique in the project ignoring case", "Sourdough")]
    description: Annotated[str, doc("what the topic covers", "Wild yeast at home")]
    keywords: Annotated[list[str], doc("keywords the topic targets", ["sourdough", "levain"])]


class BriefCategory(TypedDict):
    """The category of a brief, with what the writer should know of it."""

    id: Annotated[Id, doc("the category's id")]
    name: Annotated[str, doc("its name", "Baking")]
    description: Annotated[str, doc("what it covers; writers receive it with each brief", "Bread, from flour to crust")]


class Cluster(BriefCluster, Created):
    """A cluster."""


class Category(BriefCategory, Created):
    """A category."""

    slug: Annotated[str, doc("its URL slug, unique in the project", "baking")]
    categoryId: Annotated[Id | None, doc("the parent category")]


def member_record(member: StoredMember) -> Member:
    """Returns a stored member as callers see them."""
    notify = notify_of(member)
    return record_of(Member, member, notify={**notify, "slack": masked(notify["slack"])})


def cluster_record(cluster: StoredCluster, team_id: str) -> Cluster:
    """Returns a stored cluster as callers see it."""
    return record_of(Cluster, cluster, teamId=team_id)


def category_record(category: StoredCategory, team_id: str) -> Category:
    """Returns a stored category as callers see it."""
    return record_of(Category, category, teamId=team_id)
