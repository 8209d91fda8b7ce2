"""Stored categories and clusters, the records that confirmed drafts become, and their numbers."""

from datetime import datetime
from typing import Any, NotRequired

from app.core.actors import Actor
from app.core.documented import Id
from app.core.errors import Problem
from app.core.schemas.loading import Fields
from app.core.slugs import StoredNamed, lower_id
from app.core.times import Instant
from app.core.vocabulary import Kind


class StoredClusterOrCategory(StoredNamed):
    """The fields that clusters and categories have."""

    description: NotRequired[str | None]
    createdBy: Actor
    updatedAt: Instant


class StoredCluster(StoredClusterOrCategory):
    """A cluster as the store returns it."""

    keywords: NotRequired[list[str] | None]


class StoredCategory(StoredClusterOrCategory):
    """A category as the store returns it."""

    slug: str
    categoryId: NotRequired[Id | None]
    """The parent category's id."""


def new_cluster(fields: Fields, *, by: Actor, now: datetime) -> dict[str, Any]:
    """Returns the record of a cluster."""
    named = {name: fields.get(name) for name in ("name", "description", "keywords")}
    return named | {"createdAt": now, "createdBy": by, "updatedAt": now}


def new_category(fields: Fields, *, by: Actor, now: datetime) -> dict[str, Any]:
    """Returns the record of a category."""
    named = {name: fields.get(name) for name in ("name", "slug", "description")}
    filed = {"categoryId": lower_id(fields.get("categoryId"))}
    return named | filed | {"createdAt": now, "createdBy": by, "updatedAt": now}


CLUSTERS_PER_PROJECT = 200


CATEGORIES_PER_PROJECT = 2_000

TAKEN = {
    Kind.CLUSTER: Problem(field="name", message="Another cluster has this name (upper and lower case count as equal)."),
    Kind.CATEGORY: Problem(field="slug", message="Another category has this slug: choose another."),
}
