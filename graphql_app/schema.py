"""The schema of the delivery API: its queries. Their resolvers ask the `DeliveryQuery` of the request."""

from typing import Annotated, Any

import strawberry
from strawberry.schema.config import StrawberryConfig

from app.operations.delivery import DeliveryPage
from app.schemas.loading import load
from app.schemas.queries import DeliveryPage as DeliveryQueryPage
from graphql_app.context import Info
from graphql_app.types import Category, Document, DocumentPage, Redirect

Drafts = Annotated[
    bool | None,
    strawberry.argument(
        description="Add documents that were never published, or were unpublished. Needs a token with the drafts "
        "permission. Default: false."
    ),
]
Limit = Annotated[int | None, strawberry.argument(description="The most items to return, 1 to 100. Default: 20.")]
Offset = Annotated[int | None, strawberry.argument(description="Items to skip, 0 to 100,000. Default: 0.")]
Slug = Annotated[str, strawberry.argument(description="The slug.")]
Id = Annotated[strawberry.ID, strawberry.argument(description="The id. An invalid one gives null.")]
CategoryId = Annotated[
    strawberry.ID, strawberry.argument(description="The category's id. An invalid or unknown one gives no documents.")
]
CategorySlug = Annotated[
    str | None,
    strawberry.argument(
        description="Only documents of the category with this slug, without its subcategories; none where there is no "
        "such category."
    ),
]
Search = Annotated[
    str | None,
    strawberry.argument(
        description="Only documents that have all of these words in their title, subtitle or excerpt, ignoring case "
        "and accents."
    ),
]
From = Annotated[str, strawberry.argument(name="from", description="The past slug.")]

PAGE = (
    "newest publication first; after them, with `includeDrafts`, those that are not published, newest first. "
    "A page shorter than `limit` is the last one."
)


def _category(info: Info, id: Id) -> Any:
    return info.context.query.categories.get(id.lower())


def _category_by_slug(info: Info, slug: Slug) -> Any:
    return info.context.query.category_with(slug)


def _categories(info: Info) -> Any:
    return [*info.context.query.categories.values()]


def _document(info: Info, id: Id) -> Any:
    return info.context.query.document(id)


def _document_by_slug(info: Info, slug: Slug) -> Any:
    return info.context.query.document_with(slug)


def _documents(
    info: Info,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
) -> Any:
    page, query = page_of(limit=limit, offset=offset), info.context.query
    return query.documents(query.wanted(drafts=includeDrafts is True), **page)


def _documents_in_category(
    info: Info,
    categoryId: CategoryId,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
) -> Any:
    page, query = page_of(limit=limit, offset=offset), info.context.query
    return query.documents(query.wanted(category_id=categoryId, drafts=includeDrafts is True), **page)


def _documents_page(
    info: Info,
    categorySlug: CategorySlug = strawberry.UNSET,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
    search: Search = strawberry.UNSET,
) -> Any:
    page, query, category_id = page_of(limit=limit, offset=offset, search=search), info.context.query, None
    if isinstance(categorySlug, str):
        category = query.category_with(categorySlug)
        category_id = category.id if category else ""
    wanted = query.wanted(category_id=category_id, search=page.pop("search", ""), drafts=includeDrafts is True)
    return DeliveryPage(query, wanted, **page)


def _redirect(info: Info, from_: From) -> Any:
    return next(iter(info.context.query.redirect(from_)), None)


def _redirects(info: Info, limit: Limit = strawberry.UNSET, offset: Offset = strawberry.UNSET) -> Any:
    page = page_of(limit=limit, offset=offset)
    return info.context.query.redirects[page["offset"] : page["offset"] + page["limit"]]


def page_of(**arguments: object) -> dict[str, Any]:
    """Returns `limit`, `offset` and `search` of a list. Raises `HttpApiDecodeError` for those out of range."""
    given = {name: value for name, value in arguments.items() if value is not None and value is not strawberry.UNSET}
    return load(DeliveryQueryPage, given)


@strawberry.type(description="Published content of the project that the token belongs to.")
class Query:
    """The queries of the contract."""

    category: Category | None = strawberry.field(resolver=_category, description="A category by its id.")
    categoryBySlug: Category | None = strawberry.field(
        resolver=_category_by_slug, description="A category by its slug."
    )
    categories: list[Category] = strawberry.field(resolver=_categories, description="All categories, by name.")
    document: Document | None = strawberry.field(
        resolver=_document,
        description="A published document by its id; a token with the drafts permission finds any document.",
    )
    documentBySlug: Document | None = strawberry.field(
        resolver=_document_by_slug,
        description="A published document by the slug under which it was published; a token with the drafts "
        "permission also finds documents that are not published, by their present slug.",
    )
    documents: list[Document] = strawberry.field(resolver=_documents, description=f"Documents, {PAGE}")
    documentsInCategory: list[Document] = strawberry.field(
        resolver=_documents_in_category,
        description=f"Documents of one category, without those of its subcategories; {PAGE}",
    )
    documentsPage: DocumentPage = strawberry.field(
        resolver=_documents_page,
        description=f"Documents with how many there are, of one category or with some words; {PAGE}",
    )
    redirects: list[Redirect] = strawberry.field(
        resolver=_redirects,
        description="The slugs under which published documents were delivered before, those left last first. A slug "
        "that another document is delivered under now is none; one that several documents left leads to the latest.",
    )
    redirect: Redirect | None = strawberry.field(
        resolver=_redirect, description="Where a slug leads that a document was delivered under before."
    )


def _attribute(source: Any, name: str) -> Any:
    """Returns what a field without a resolver is: that of a record, a dict, or an attribute; unset text is null."""
    value = source.get(name) if isinstance(source, dict) else getattr(source, name)
    return None if value == "" else value


CONFIG = StrawberryConfig(auto_camel_case=False, default_resolver=_attribute)


def sdl() -> str:
    """Returns the schema in GraphQL's schema definition language."""
    return strawberry.Schema(Query, config=CONFIG).as_str() + "\n"
