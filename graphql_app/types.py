"""The types of the delivery API, as the contract lists them. What is delivered has the same names (`app.records`)."""

from __future__ import annotations

import strawberry


@strawberry.type(description="The picture that stands for a document.")
class CoverImage:
    """A document's cover image."""

    url: str = strawberry.field(description="Its address, http or https.")


@strawberry.type(description="What documents are filed under. Categories form a tree.")
class Category:
    """A category."""

    id: strawberry.ID = strawberry.field(description="Its id: 24 hexadecimal digits.")
    category: Category | None = strawberry.field(description="The parent category, if any.")
    description: str | None = strawberry.field(description="What it covers.")
    name: str = strawberry.field(description="Its name.")
    slug: str = strawberry.field(description="Its slug: unique in the project, for use in URLs.")


@strawberry.type(
    description="A document, as it was when it was published. One that is not published, which only a token with the "
    "drafts permission sees, has its current fields, and neither `html` nor `markdown`."
)
class Document:
    """A document."""

    id: strawberry.ID = strawberry.field(description="Its id: 24 hexadecimal digits.")
    category: Category | None = strawberry.field(description="The category it is filed under.")
    coverImage: CoverImage | None = strawberry.field(description="The picture that stands for it.")
    excerpt: str | None = strawberry.field(
        description="What it is about: the excerpt that its author wrote, else the text of its first paragraph, at "
        "most 200 characters of that."
    )
    html: str = strawberry.field(
        description="Its published content as html, safe to put on a page: it holds no scripts, event handlers, "
        "`javascript:` addresses, forms, frames or styles. Empty where it is not published."
    )
    isPublished: bool = strawberry.field(description="Is it published? Without `includeDrafts` always true.")
    markdown: str = strawberry.field(
        description="Its published content as markdown (CommonMark with tables, strikethrough, task lists and "
        "autolinks). Empty where it is not published."
    )
    metaDescription: str | None = strawberry.field(description="The description for search engines.")
    metaTitle: str | None = strawberry.field(description="The title for search engines.")
    publishedAt: str | None = strawberry.field(
        description="When it went live, in ISO 8601, like `2027-01-31T09:00:00.000Z`. Publishing it again does not "
        "change this."
    )
    slug: str = strawberry.field(description="Its slug: unique in the project, for use in URLs.")
    subtitle: str | None = strawberry.field(description="Its subtitle.")
    title: str = strawberry.field(description="Its title.")
