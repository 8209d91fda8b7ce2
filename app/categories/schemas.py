"""Schemas of clusters and categories (contract: Intent; decisions, section 2)."""

from app.core.schemas.fields import Schema, StrictString, StringList, StringToConfirm
from app.core.schemas.validation import not_blank
from app.core.slugs import category_slug

_CLUSTER_NAME = "the cluster's name, unique"


_SLUG = "URL slug: lowercase letters, numbers and single hyphens"


class DraftClusterFields(Schema):
    """The fields of a cluster draft."""

    name: StrictString = StringToConfirm(100, not_blank, description=_CLUSTER_NAME, example="Sourdough")
    description = StrictString(2_000, description="what the topic covers", example="Wild yeast at home")
    keywords = StringList(50, 100, description="keywords the topic targets", example=["sourdough", "levain"])


class ClusterChanges(DraftClusterFields):
    """Body of `PATCH /clusters/:id`; null clears a field, except the name."""

    name = StrictString(100, not_blank, description=_CLUSTER_NAME, allow_none=False)


class DraftCategoryFields(Schema):
    """The fields of a category draft."""

    name: StrictString = StringToConfirm(200, not_blank, description="the category's name", example="Baking")
    slug: StrictString = StringToConfirm(200, category_slug, description=_SLUG, example="baking")
    description = StrictString(
        2_000,
        description="what the category covers; writers receive it with each brief",
        example="Bread, from flour to crust",
    )
    categoryId = StrictString(description="id of the parent category, for a subcategory")


class CategoryChanges(DraftCategoryFields):
    """Body of `PATCH /categories/:id`; null clears a field, except the name and the slug."""

    name = StrictString(200, not_blank, description="the category's name", allow_none=False)
    slug = StrictString(200, category_slug, description=_SLUG, allow_none=False)
