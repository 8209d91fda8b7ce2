"""The types of the delivery API, as the contract lists them, and the context of a request for the view and resolvers.

A field without a resolver is the attribute of that name: of a `DeliveredDocument`, a `DeliveredCategory` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import strawberry

from app.operations.delivery import DeliveredDocument, DeliveryQuery
from app.schemas.loading import load
from app.schemas.queries import RelatedPage


@dataclass(frozen=True)
class DeliveryContext:
    """What is known while one query is executed."""

    query: DeliveryQuery
    """What the resolvers ask."""
    operation_name: str | None
    """The operation to run, where the client named one."""


Info = strawberry.Info[DeliveryContext, None]

RelatedLimit = Annotated[int | None, strawberry.argument(description="The most documents, 1 to 10. Default: 3.")]


def related_limit(limit: int | None) -> int:
    """Returns how many related documents are wanted. Raises `HttpApiDecodeError` for a limit out of range."""
    loaded: int = load(RelatedPage, {"limit": limit} if isinstance(limit, int) else {})["limit"]
    return loaded


def _related(document: strawberry.Parent[DeliveredDocument], limit: RelatedLimit = strawberry.UNSET) -> Any:
    return document.related(related_limit(limit))


@strawberry.type(description="The image that represents a document.")
class CoverImage:
    """A document's cover image."""

    url: str = strawberry.field(description="Its address, http or https.")


@strawberry.type(description="What documents are filed under. Categories form a tree.")
class Category:
    """A category."""

    id: strawberry.ID = strawberry.field(description="Its id: 24 hexadecimal digits.")
    category: Category | None = strawberry.field(description="The parent category, if any.")
    children: list[Category] = strawberry.field(description="Its subcategories, by name.")
    description: str | None = strawberry.field(description="What it covers.")
    name: str = strawberry.field(description="Its name.")
    parent: Category | None = strawberry.field(description="The parent category, if any; the same as `category`.")
    slug: str = strawberry.field(description="Its slug: unique in the project, for use in URLs.")

    @strawberry.field(description="How many documents are published in it, without those of its subcategories.")
    def document_count(self, info: Info) -> int:
        return info.context.query.counts.get(str(self.id), 0)


@strawberry.type(description="Who wrote a document.")
class Author:
    """A document's author."""

    id: strawberry.ID = strawberry.field(description="The member's id: 24 hexadecimal digits.")
    name: str = strawberry.field(description="The member's name, as it is now.")


@strawberry.type(description="What a publisher discloses of how a text came about.")
class Disclosure:
    """A document's disclosure."""

    value: str = strawberry.field(
        description="`human-only`: it has no agent's words. `ai-assisted`: it has, and a person attested a review. "
        "`ai-autonomous`: it has, without that.",
    )
    models: list[str] = strawberry.field(description="The models that were declared for it.")
    reviewed_at: str | None = strawberry.field(description="When a person reviewed it; null without a record of that.")
    responsible: str | None = strawberry.field(description="Who answers for it; null where nobody is named.")


@strawberry.type(description="A document as it is now, with what is not published yet.")
class Preview:
    """The present state of a document."""

    category: Category | None = strawberry.field(description="The category that it is filed under now.")
    cover_image: CoverImage | None = strawberry.field(description="The image that represents it.")
    excerpt: str | None = strawberry.field(
        description="What it is about: the excerpt that its author wrote, else the text of its first paragraph.",
    )
    html: str | None = strawberry.field(
        description="Its present content as html, as safe as that of a published document. Null where it would be over "
        "15 MB, which can't be published.",
    )
    markdown: str = strawberry.field(description="Its present content as markdown.")
    meta_description: str | None = strawberry.field(description="The description for search engines.")
    meta_title: str | None = strawberry.field(description="The title for search engines.")
    slug: str = strawberry.field(description="The slug that it will be delivered under.")
    subtitle: str | None = strawberry.field(description="Its subtitle.")
    title: str = strawberry.field(description="Its title.")
    updated_at: str = strawberry.field(description="When the document last changed in any way.")
    version: int = strawberry.field(description="The number of this version of its content.")


@strawberry.type(
    description="A document, as it was when it was published. One that is not published, which only a token with the "
    "drafts permission sees, has its current fields, and neither `html` nor `markdown`."
)
class Document:
    """A document."""

    id: strawberry.ID = strawberry.field(description="Its id: 24 hexadecimal digits.")
    author: Author | None = strawberry.field(
        description="Who wrote it; null when none is named, or the member left the project."
    )
    category: Category | None = strawberry.field(description="The category it is filed under.")
    cluster_id: strawberry.ID | None = strawberry.field(
        description="The id of its cluster, for `documentsPage(clusterId:)`; null without one."
    )
    cover_image: CoverImage | None = strawberry.field(description="The image that represents it.")
    disclosure: Disclosure = strawberry.field(
        description="How the published text came about; where it is not published, the present one, without a record."
    )
    excerpt: str | None = strawberry.field(
        description="What it is about: the excerpt that its author wrote, else the text of its first paragraph, at "
        "most 200 characters of that.",
    )
    html: str = strawberry.field(
        description="Its published content as html, safe to put on a page: it holds no scripts, event handlers, "
        "`javascript:` addresses, forms, frames or styles. Empty where it is not published.",
    )
    is_published: bool = strawberry.field(
        description="Whether it is published. Always true for a token without the drafts permission.",
    )
    markdown: str = strawberry.field(
        description="Its published content as markdown (CommonMark with tables, strikethrough, task lists and "
        "autolinks). Empty where it is not published.",
    )
    meta_description: str | None = strawberry.field(description="The description for search engines.")
    meta_title: str | None = strawberry.field(description="The title for search engines.")
    preview: Preview | None = strawberry.field(
        description="The document as it is now. Null without a token that has the drafts permission."
    )
    published_at: str | None = strawberry.field(
        description="When it went live, in ISO 8601, like `2027-01-31T09:00:00.000Z`. Publishing it again does not "
        "change this.",
    )
    related: list[Document] = strawberry.field(
        resolver=_related, description="Other published documents of its cluster, the newest publication first."
    )
    slug: str = strawberry.field(description="Its slug: unique in the project, for use in URLs.")
    subtitle: str | None = strawberry.field(description="Its subtitle.")
    title: str = strawberry.field(description="Its title.")
    updated_at: str | None = strawberry.field(description="When it was last published; null where it is not published.")
    word_count: int = strawberry.field(description="How many words its published content has; 0 where there is none.")


@strawberry.type(description="One page of documents.")
class DocumentPage:
    """A page of documents with how many there are."""

    documents: list[Document] = strawberry.field(description="The documents of the page.")
    has_next_page: bool = strawberry.field(description="Whether there are documents after this page.")
    total_count: int = strawberry.field(description="How many documents there are on all pages together.")


@strawberry.type(description="A slug that leads to a document which has another one now.")
class Redirect:
    """A redirect."""

    from_: str = strawberry.field(name="from", description="The slug that the document was delivered under before.")
    to: str = strawberry.field(description="The slug that it is delivered under now.")
