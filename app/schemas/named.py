"""What members, clusters and categories may hold (contract: Intent; decisions, section 2)."""

from app.schemas.checks import full_match, not_blank
from app.schemas.inbox import NotifyFields
from app.schemas.slugs import category_slug
from app.schemas.types import EnumString, Nested, Schema, StrictString, StringList, StringToConfirm
from app.vocabulary import Role

_CLUSTER_NAME = "the cluster's name, unique in the project ignoring case"
_SLUG = "URL slug: lowercase letters, numbers and single hyphens"

_PART = r'[^@\s\x00-\x1f\x7f,;:<>()\[\]"\\]+'
email_address = full_match(f"{_PART}@{_PART}", "Must be an e-mail address, like ada@example.org.")
"""Checks for one @ with text around it: no white space, and nothing that makes it two addresses in a mail's header."""


class MemberFields(Schema):
    """What creates a member."""

    name = StrictString(100, not_blank, description="the member's name", example="Ada Example", required=True)
    email = StrictString(320, email_address, description="the member's e-mail address", example="ada@example.org")
    role = EnumString(
        Role,
        description="descriptive: permissions are the token's; `writer` by default",
        example="editor",
        allow_none=False,
    )


class MemberChanges(MemberFields):
    """What PATCH of a member may carry."""

    name = StrictString(100, not_blank, description="the member's name", example="Ada Example", allow_none=False)
    notify = Nested(NotifyFields, description="how they are told; merged", allow_none=False)


class DraftClusterFields(Schema):
    """The fields of a cluster draft."""

    name: StrictString = StringToConfirm(100, not_blank, description=_CLUSTER_NAME, example="Sourdough")
    description = StrictString(2_000, description="what the topic covers", example="Wild yeast at home")
    keywords = StringList(50, 100, description="keywords the topic targets", example=["sourdough", "levain"])


class ClusterChanges(DraftClusterFields):
    """What PATCH of a cluster may carry; null clears, but not the name."""

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
    """What PATCH of a category may carry; null clears, but neither name nor slug."""

    name = StrictString(200, not_blank, description="the category's name", allow_none=False)
    slug = StrictString(200, category_slug, description=_SLUG, allow_none=False)
