"""What a category may hold (contract: Intent fields for kind `category`)."""

from app.fields.kinds import Fields, not_blank, text
from app.fields.slugs import category_slug


class CategoryFields(Fields):
    """The fields of a category, in a draft and in a change."""

    name = text(200, not_blank, doc="the category's name", needed=True)
    slug = text(200, category_slug, doc="URL slug: lowercase letters, numbers and single hyphens", needed=True)
    description = text(2_000, doc="what the category covers; writers receive it with each brief")
    categoryId = text(doc="id of the parent category, for a subcategory")


class CategoryChanges(CategoryFields):
    """What PATCH of a category may carry; null clears, but neither name nor slug."""

    name = text(200, not_blank, doc="the category's name", null=False)
    slug = text(200, category_slug, doc="URL slug: lowercase letters, numbers and single hyphens", null=False)
