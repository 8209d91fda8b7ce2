"""The types of the delivery API, as the contract lists them.

A document is resolved from a dict (`DeliveredDocument`): a field without a resolver is its value of that name.
"""

from __future__ import annotations

from typing import Annotated, Any

import strawberry

from app.operations.delivery import DeliveryPage
from app.responses.delivery import DeliveredCategory, DeliveredDocument
from app.schemas.loading import load
from app.schemas.queries import RelatedPage
from graphql_app.context import Info

Parent = strawberry.Parent[DeliveredDocument]
RelatedLimit = Annotated[int | None, strawberry.argument(description="The most documents, 1 to 10. Default: 3.")]


def _document_count(category: strawberry.Parent[DeliveredCategory], info: Info) -> int:
    return info.context.query.counts.get(category.id, 0)


def _author(document: Parent, info: Info) -> Any:
    name = info.context.query.author(document)
    return None if name is None else {"name": name}


def _category(document: Parent, info: Info) -> Any:
    category_id = document.get("categoryId")
    return None if category_id is None else info.context.query.categories.get(category_id)


def _excerpt(document: Parent, info: Info) -> str | None:
    return info.context.query.excerpt(document)


def _html(document: Parent, info: Info) -> str:
    return info.context.query.texts.stored(document["htmlId"], document["htmlBytes"]) if document["isPublished"] else ""


def _markdown(document: Parent, info: Info) -> str:
    if not document["isPublished"]:
        return ""
    return info.context.query.texts.stored(document["markdownId"], document["markdownBytes"])


def _preview(document: Parent, info: Info) -> Any:
    return info.context.query.current(document)


def _preview_html(document: Parent, info: Info) -> str | None:
    content_id = document.get("contentId")
    return info.context.query.texts.rendered(content_id) if content_id else ""


def _preview_markdown(document: Parent, info: Info) -> str:
    content_id = document.get("contentId")
    return info.context.query.texts.stored(content_id) if content_id else ""


def _related(document: Parent, info: Info, limit: RelatedLimit = strawberry.UNSET) -> Any:
    return info.context.query.related(document, related_limit(limit))


def _documents_of_page(page: strawberry.Parent[DeliveryPage]) -> Any:
    return page.documents


def _has_next_page(page: strawberry.Parent[DeliveryPage]) -> bool:
    return page.has_next


def _total_count(page: strawberry.Parent[DeliveryPage]) -> int:
    return page.total


def related_limit(limit: int | None) -> int:
    """Returns how many related documents are wanted. Raises `HttpApiDecodeError` for a limit out of range."""
    loaded: int = load(RelatedPage, {"limit": limit} if isinstance(limit, int) else {})["limit"]
    return loaded


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
    documentCount: int = strawberry.field(
        resolver=_document_count,
        description="How many documents are published in it, without those of its subcategories.",
    )
    name: str = strawberry.field(description="Its name.")
    slug: str = strawberry.field(description="Its slug: unique in the project, for use in URLs.")


@strawberry.type(description="Who wrote a document.")
class Author:
    """A document's author."""

    name: str = strawberry.field(description="The member's name, as it is now.")


@strawberry.type(description="A document as it is now, with what is not published yet.")
class Preview:
    """The present state of a document."""

    coverImage: CoverImage | None = strawberry.field(description="The image that represents it.")
    excerpt: str | None = strawberry.field(
        resolver=_excerpt,
        description="What it is about: the excerpt that its author wrote, else the text of its first paragraph.",
    )
    html: str | None = strawberry.field(
        resolver=_preview_html,
        description="Its present content as html, as safe as that of a published document. Null where it would be over "
        "15 MB, which can't be published.",
    )
    markdown: str = strawberry.field(resolver=_preview_markdown, description="Its present content as markdown.")
    metaDescription: str | None = strawberry.field(description="The description for search engines.")
    metaTitle: str | None = strawberry.field(description="The title for search engines.")
    slug: str = strawberry.field(description="The slug that it will be delivered under.")
    subtitle: str | None = strawberry.field(description="Its subtitle.")
    title: str = strawberry.field(description="Its title.")
    updatedAt: str = strawberry.field(description="When the document last changed in any way.")
    version: int = strawberry.field(description="The number of this version of its content.")


@strawberry.type(
    description="A document, as it was when it was published. One that is not published, which only a token with the "
    "drafts permission sees, has its current fields, and neither `html` nor `markdown`."
)
class Document:
    """A document."""

    id: strawberry.ID = strawberry.field(description="Its id: 24 hexadecimal digits.")
    author: Author | None = strawberry.field(
        resolver=_author, description="Who wrote it; null when none is named, or the member left the project."
    )
    category: Category | None = strawberry.field(resolver=_category, description="The category it is filed under.")
    coverImage: CoverImage | None = strawberry.field(description="The image that represents it.")
    excerpt: str | None = strawberry.field(
        resolver=_excerpt,
        description="What it is about: the excerpt that its author wrote, else the text of its first paragraph, at "
        "most 200 characters of that.",
    )
    html: str = strawberry.field(
        resolver=_html,
        description="Its published content as html, safe to put on a page: it holds no scripts, event handlers, "
        "`javascript:` addresses, forms, frames or styles. Empty where it is not published.",
    )
    isPublished: bool = strawberry.field(
        description="Whether it is published. Always true for a token without the drafts permission.",
    )
    markdown: str = strawberry.field(
        resolver=_markdown,
        description="Its published content as markdown (CommonMark with tables, strikethrough, task lists and "
        "autolinks). Empty where it is not published.",
    )
    metaDescription: str | None = strawberry.field(description="The description for search engines.")
    metaTitle: str | None = strawberry.field(description="The title for search engines.")
    preview: Preview | None = strawberry.field(
        resolver=_preview, description="The document as it is now. Null without a token that has the drafts permission."
    )
    publishedAt: str | None = strawberry.field(
        description="When it went live, in ISO 8601, like `2027-01-31T09:00:00.000Z`. Publishing it again does not "
        "change this.",
    )
    related: list[Document] = strawberry.field(
        resolver=_related, description="Other published documents of its cluster, the newest publication first."
    )
    slug: str = strawberry.field(description="Its slug: unique in the project, for use in URLs.")
    subtitle: str | None = strawberry.field(description="Its subtitle.")
    title: str = strawberry.field(description="Its title.")
    updatedAt: str | None = strawberry.field(description="When it was last published; null where it is not published.")
    wordCount: int = strawberry.field(description="How many words its published content has; 0 where there is none.")


@strawberry.type(description="One page of documents.")
class DocumentPage:
    """A page of documents with how many there are."""

    documents: list[Document] = strawberry.field(resolver=_documents_of_page, description="The documents of the page.")
    hasNextPage: bool = strawberry.field(
        resolver=_has_next_page, description="Whether there are documents after this page."
    )
    totalCount: int = strawberry.field(
        resolver=_total_count, description="How many documents there are on all pages together."
    )


@strawberry.type(description="A slug that leads to a document which has another one now.")
class Redirect:
    """A redirect."""

    from_: str = strawberry.field(name="from", description="The slug that the document was delivered under before.")
    to: str = strawberry.field(description="The slug that it is delivered under now.")
