"""What a category may hold (contract: Intent fields for kind `category`)."""

from app.fields.checks import not_blank
from app.fields.slugs import category_slug
from app.fields.types import Schema, StrictString, StringToConfirm

_SLUG = "URL slug: lowercase letters, numbers and single hyphens"


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
    """What PATCH of a category may carry; null clears, but neither name nor slug."""

    name = StrictString(200, not_blank, description="the category's name", allow_none=False)
    slug = StrictString(200, category_slug, description=_SLUG, allow_none=False)
