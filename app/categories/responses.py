"""Members, clusters and categories as callers see them, and what documents have in common with them.

(decisions, sections 2 and 4)
"""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import Id, doc
from app.core.records import Created


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
