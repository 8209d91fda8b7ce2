"""The types of the delivery API, as the contract lists them, and the context of a request for the view and resolvers.

A field without a resolver is the attribute of that name: of a `DeliveredDocument`, a `DeliveredCategory` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import strawberry
from strawberry import ID, UNSET, argument, field

from app.core.schemas.fields import Schema
from app.core.schemas.loading import load
from app.delivery.queries import DeliveredDocument, DeliveryQuery
from app.delivery.schemas import RelatedPage


@dataclass(frozen=True)
class DeliveryContext:
    """Context in which one query is executed."""

    query: DeliveryQuery
    """The data that the resolvers read."""
    operation_name: str | None
    """The operation to run, where the client named one."""


Info = strawberry.Info[DeliveryContext, None]

RelatedLimit = Annotated[int | None, argument(description="The most documents, 1 to 10. Default: 3.")]


def sent(**arguments: object) -> dict[str, Any]:
    """Returns the arguments that were sent: resolvers get None for null, and `UNSET` for none."""
    return {name: value for name, value in arguments.items() if value is not None and value is not UNSET}


def page_of(schema: type[Schema], **arguments: object) -> dict[str, Any]:
    """Returns the arguments of a list with their defaults. Raises `HttpApiDecodeError` for those out of range."""
    return load(schema, sent(**arguments))


def _related(document: strawberry.Parent[DeliveredDocument], limit: RelatedLimit = UNSET) -> Any:
    return document.related(**page_of(RelatedPage, limit=limit))


@strawberry.type(description="The image that represents a document.")
class CoverImage:
    url: str = field(description="Its address, http or https.")


@strawberry.type(description="What documents are filed under. Categories form a tree.")
class Category:
    id: ID = field(description="Its id: 24 hexadecimal digits.")
    category: Category | None = field(description="The parent category, if any.")
    children: list[Category] = field(description="Its subcategories, by name.")
    description: str | None = field(description="What it covers.")
    name: str = field(description="Its name.")
    parent: Category | None = field(description="The parent category, if any; the same as `category`.")
    slug: str = field(description="Its slug: unique in the project, for use in URLs.")

    @field(description="How many documents are published in it, without those of its subcategories.")
    def document_count(self, info: Info) -> int:
        return info.context.query.counts.get(str(self.id), 0)


@strawberry.type(description="Who wrote a document.")
class Author:
    id: ID = field(description="The member's id: 24 hexadecimal digits.")
    bio: str | None = field(description="What readers learn about them.")
    image_url: str | None = field(description="The address of their picture, http or https.")
    name: str = field(description="The member's name, as it is now.")
    slug: str = field(description="Their slug: unique in the project, for use in URLs.")


@strawberry.type(description="A document as it is now, with what is not published yet.")
class Preview:
    category: Category | None = field(description="The category that it is filed under now.")
    cover_image: CoverImage | None = field(description="The image that represents it.")
    excerpt: str | None = field(description="The excerpt that its author wrote, else the text of its first paragraph.")
    html: str | None = field(description="Its present content as safe html; null over 15 MB, which can't be published.")
    markdown: str = field(description="Its present content as markdown.")
    meta_description: str | None = field(description="The description for search engines.")
    meta_title: str | None = field(description="The title for search engines.")
    slug: str = field(description="The slug that it will be delivered under.")
    subtitle: str | None = field(description="Its subtitle.")
    title: str = field(description="Its title.")
    updated_at: str = field(description="When the document last changed in any way.")
    version: int = field(description="The number of this version of its content.")


@strawberry.type(
    description="A document, as it was when it was published. One that is not published, which only a token with the "
    "drafts permission sees, has its current fields, and neither `html` nor `markdown`."
)
class Document:
    id: ID = field(description="Its id: 24 hexadecimal digits.")
    author: Author | None = field(description="Who wrote it; null when none is named, or the member left the project.")
    category: Category | None = field(description="The category it is filed under.")
    cluster_id: ID | None = field(description="Its cluster's id, for `documentsPage(clusterId:)`; null without one.")
    cover_image: CoverImage | None = field(description="The image that represents it.")
    excerpt: str | None = field(
        description="The excerpt that its author wrote, else the text of its first paragraph, at most 200 characters."
    )
    html: str = field(
        description="Its published content as html, safe to put on a page: it holds no scripts, event handlers, "
        "`javascript:` addresses, forms, frames or styles. Empty where it is not published."
    )
    is_published: bool = field(description="Whether it is published; always true without the drafts permission.")
    markdown: str = field(
        description="Its published content as markdown (GitHub's, with footnotes and "
        "alerts). Empty where it is not published."
    )
    meta_description: str | None = field(description="The description for search engines.")
    meta_title: str | None = field(description="The title for search engines.")
    preview: Preview | None = field(description="The document as it is now; null without the drafts permission.")
    published_at: str | None = field(description="When it went live, in ISO 8601; publishing it again leaves this.")
    related: list[Document] = field(
        resolver=_related, description="Other published documents of its cluster, the newest publication first."
    )
    slug: str = field(description="Its slug: unique in the project, for use in URLs.")
    subtitle: str | None = field(description="Its subtitle.")
    title: str = field(description="Its title.")
    updated_at: str | None = field(description="When it was last published; null where it is not published.")
    word_count: int = field(description="How many words its published content has; 0 where there is none.")


@strawberry.type(description="One page of documents.")
class DocumentPage:
    documents: list[Document] = field(description="The documents of the page.")
    end_cursor: str | None = field(description="Send it as `after` for the next page; null where the page is empty.")
    has_next_page: bool = field(description="Whether there are documents after this page.")
    total_count: int = field(description="How many documents there are on all pages together.")


@strawberry.type(description="A slug that leads to a document which has another one now.")
class Redirect:
    from_: str = field(name="from", description="The slug that the document was delivered under before.")
    to: str = field(description="The slug that it is delivered under now.")
