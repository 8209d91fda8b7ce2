"""The schema of the delivery API: its queries.

What a query selects is read before its resolvers run (`execution.py`), with as few reads as it takes; a resolver
returns what was read for its field, or raises the refusal. So the resolvers here only declare the arguments of fields:
`selections_of` reads them, and `Finder` (`app/operations/delivery_queries.py`) reads the data. A new field of `Query`
needs a case there, its name in `DOCUMENT_QUERIES` or `CATEGORY_QUERIES` beside it, and a line in `PAGES` of
`selections.py` if it has a `limit`.
"""

from typing import Annotated, Any

import strawberry
from graphql import GraphQLObjectType, build_schema
from strawberry.schema.config import StrawberryConfig

from graphql_app.context import Info, by_response_key
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


def _result(info: Info) -> Any:
    return by_response_key(info, info.context.results)


def _by_id(info: Info, id: Id) -> Any:
    return _result(info)


def _by_slug(info: Info, slug: Slug) -> Any:
    return _result(info)


def _documents(
    info: Info,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
) -> Any:
    return _result(info)


def _documents_in_category(
    info: Info,
    categoryId: CategoryId,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
) -> Any:
    return _result(info)


def _documents_page(
    info: Info,
    categorySlug: CategorySlug = strawberry.UNSET,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
    search: Search = strawberry.UNSET,
) -> Any:
    return _result(info)


def _redirect(info: Info, from_: From) -> Any:
    return _result(info)


def _redirects(info: Info, limit: Limit = strawberry.UNSET, offset: Offset = strawberry.UNSET) -> Any:
    return _result(info)


@strawberry.type(description="Published content of the project that the token belongs to.")
class Query:
    """The queries of the contract."""

    category: Category | None = strawberry.field(resolver=_by_id, description="A category by its id.")
    categoryBySlug: Category | None = strawberry.field(resolver=_by_slug, description="A category by its slug.")
    categories: list[Category] = strawberry.field(resolver=_result, description="All categories, by name.")
    document: Document | None = strawberry.field(
        resolver=_by_id,
        description="A published document by its id; a token with the drafts permission finds any document.",
    )
    documentBySlug: Document | None = strawberry.field(
        resolver=_by_slug,
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


CONFIG = StrawberryConfig(auto_camel_case=False)


def sdl() -> str:
    """Returns the schema in GraphQL's schema definition language."""
    return strawberry.Schema(Query, config=CONFIG).as_str() + "\n"


GRAPHQL_SCHEMA = build_schema(sdl())
"""The schema as graphql-core's functions take it; the one inside Strawberry's `Schema` is private to it."""

_OBJECTS = [one for one in GRAPHQL_SCHEMA.type_map.values() if isinstance(one, GraphQLObjectType)]
assert GRAPHQL_SCHEMA.query_type
QUERY_FIELDS = GRAPHQL_SCHEMA.query_type.fields
DOCUMENT_FIELDS = next(one.fields for one in _OBJECTS if one.name == "Document")
LIST_LENGTHS = {
    "types": len(GRAPHQL_SCHEMA.type_map),
    "fields": max(len(one.fields) for one in _OBJECTS),
    "args": max(len(one.args) for type_ in _OBJECTS for one in type_.fields.values()),
    "enumValues": max(len(getattr(one, "values", ())) for one in GRAPHQL_SCHEMA.type_map.values()),
    "directives": len(GRAPHQL_SCHEMA.directives),
}
"""How long the lists of introspection are at most; the schema has no input types."""
