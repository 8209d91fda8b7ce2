"""The schema of the delivery API: the six queries of the contract.

What a query asks for is read before it is executed (`reading.py`), with as few reads as it takes. The resolvers only
hand out what was read for their place in the query; their arguments are judged there too.
"""

from __future__ import annotations

from typing import Annotated, Any

import strawberry
from graphql import GraphQLSchema
from strawberry.schema.config import StrawberryConfig

from graphql_app.types import Category, Document

Drafts = Annotated[
    bool | None,
    strawberry.argument(
        description="Add documents that were never published, or were unpublished. Needs a token with the drafts "
        "permission. Default: false."
    ),
]
Limit = Annotated[int | None, strawberry.argument(description="The most documents to return, 1 to 100. Default: 20.")]
Offset = Annotated[int | None, strawberry.argument(description="Documents to skip, 0 to 100,000. Default: 0.")]
Slug = Annotated[str, strawberry.argument(description="The slug.")]
Id = Annotated[strawberry.ID, strawberry.argument(description="The id. One that is none gives null.")]

PAGE = (
    "newest publication first; after them, with `includeDrafts`, those that are not published, newest first. "
    "A page shorter than `limit` is the last one."
)


def _by_id(info: strawberry.Info, id: Id):  # type: ignore[no-untyped-def]  # the field states the type
    return _read(info)


def _by_slug(info: strawberry.Info, slug: Slug):  # type: ignore[no-untyped-def]
    return _read(info)


def _all(info: strawberry.Info):  # type: ignore[no-untyped-def]
    return _read(info)


def _page(  # type: ignore[no-untyped-def]
    info: strawberry.Info,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
):
    return _read(info)


def _page_of_category(  # type: ignore[no-untyped-def]
    info: strawberry.Info,
    categoryId: Id,
    includeDrafts: Drafts = strawberry.UNSET,
    limit: Limit = strawberry.UNSET,
    offset: Offset = strawberry.UNSET,
):
    return _read(info)


def _read(info: strawberry.Info) -> Any:
    """Returns what was read for this place of the query; raises what was refused there."""
    found = info.context[info.path.key]
    if isinstance(found, Exception):
        raise found
    return found


@strawberry.type(description="Published content of the project that the token belongs to.")
class Query:
    """The entries to published content."""

    category: Category | None = strawberry.field(resolver=_by_id, description="A category by its id.")
    categories: list[Category] = strawberry.field(resolver=_all, description="All categories, by name.")
    document: Document | None = strawberry.field(
        resolver=_by_id,
        description="A published document by its id; a token with the drafts permission finds any document.",
    )
    documentBySlug: Document | None = strawberry.field(
        resolver=_by_slug,
        description="A published document by the slug under which it was published; a token with the drafts "
        "permission also finds documents that are not published, by their present slug.",
    )
    documents: list[Document] = strawberry.field(resolver=_page, description=f"Documents, {PAGE}")
    documentsInCategory: list[Document] = strawberry.field(
        resolver=_page_of_category,
        description=f"Documents of one category, without those of its subcategories; {PAGE}",
    )


SCHEMA = strawberry.Schema(query=Query, config=StrawberryConfig(auto_camel_case=False))


def sdl() -> str:
    """Returns the schema in GraphQL's schema definition language."""
    return SCHEMA.as_str() + "\n"


def executable() -> GraphQLSchema:
    """Returns the schema as graphql-core executes it."""
    return SCHEMA._schema
