"""The schema of the delivery API: its queries. Their resolvers ask the `DeliveryQuery` of the request."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import strawberry
from strawberry import UNSET

from app.operations.delivery import DeliveredDocument, DeliveryPage
from app.responses.delivery import DeliveredCategory, DeliveredRedirect
from app.schemas.loading import load
from app.schemas.queries import DeliveryPage as DeliveryQueryPage
from graphql_app.types import Category, Document, DocumentPage, Info, Redirect

T = TypeVar("T")
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
    strawberry.argument(description="Only documents of the category with this slug; none where there is none."),
]
Subcategories = Annotated[
    bool | None,
    strawberry.argument(description="Add those of all categories below that of `categorySlug`. Default: false."),
]
AuthorId = Annotated[
    strawberry.ID | None,
    strawberry.argument(description="Only documents by this author. An invalid or unknown id gives no documents."),
]
ClusterId = Annotated[
    strawberry.ID | None,
    strawberry.argument(description="Only documents of this cluster. An invalid or unknown id gives no documents."),
]
Search = Annotated[
    str | None,
    strawberry.argument(
        description="Only documents that have all of these words in their title, subtitle or excerpt, ignoring case "
        "and accents."
    ),
]
Root = Annotated[
    bool | None,
    strawberry.argument(name="root", description="Only categories without a parent, with true. Default: false."),
]
From = Annotated[str, strawberry.argument(name="from", description="The past slug.")]

PAGE = (
    "newest publication first; after them, with `includeDrafts`, those that are not published, newest first. "
    "A page shorter than `limit` is the last one."
)


def page_of(**arguments: object) -> dict[str, Any]:
    """Returns `limit`, `offset` and `search` of a list. Raises `HttpApiDecodeError` for those out of range."""
    return load(DeliveryQueryPage, {name: value for name, value in arguments.items() if value not in (None, UNSET)})


def _or_none(value: T | None) -> T | None:
    """Returns an argument; None where it was not sent, for which resolvers get `UNSET`."""
    return None if value is UNSET else value


@strawberry.type(description="Published content of the project that the token belongs to.")
class Query:
    """The queries of the contract."""

    @strawberry.field(graphql_type=Category | None, description="A category by its id.")
    def category(self, info: Info, id: Id) -> DeliveredCategory | None:
        return info.context.query.categories.get(id.lower())

    @strawberry.field(graphql_type=Category | None, description="A category by its slug.")
    def category_by_slug(self, info: Info, slug: Slug) -> DeliveredCategory | None:
        return info.context.query.category_with(slug)

    @strawberry.field(graphql_type=list[Category], description="All categories, by name.")
    def categories(self, info: Info, root_only: Root = UNSET) -> list[DeliveredCategory]:
        return [one for one in info.context.query.categories.values() if not root_only or one.parent is None]

    @strawberry.field(
        graphql_type=Document | None,
        description="A published document by its id; a token with the drafts permission finds any document.",
    )
    def document(self, info: Info, id: Id) -> DeliveredDocument | None:
        return info.context.query.document(id)

    @strawberry.field(
        graphql_type=Document | None,
        description="A published document by the slug under which it was published; a token with the drafts "
        "permission also finds documents that are not published, by their present slug.",
    )
    def document_by_slug(self, info: Info, slug: Slug) -> DeliveredDocument | None:
        return info.context.query.document_with(slug)

    @strawberry.field(graphql_type=list[Document], description=f"Documents, {PAGE}")
    def documents(
        self, info: Info, include_drafts: Drafts = UNSET, limit: Limit = UNSET, offset: Offset = UNSET
    ) -> list[DeliveredDocument]:
        page, query = page_of(limit=limit, offset=offset), info.context.query
        return query.documents(query.wanted(drafts=bool(include_drafts)), **page)

    @strawberry.field(
        graphql_type=list[Document],
        description=f"Documents of one category, without those of its subcategories; {PAGE}",
    )
    def documents_in_category(
        self,
        info: Info,
        category_id: CategoryId,
        include_drafts: Drafts = UNSET,
        limit: Limit = UNSET,
        offset: Offset = UNSET,
    ) -> list[DeliveredDocument]:
        page, query = page_of(limit=limit, offset=offset), info.context.query
        return query.documents(query.wanted(categoryId=category_id, drafts=bool(include_drafts)), **page)

    @strawberry.field(
        graphql_type=DocumentPage,
        description="Documents with how many there are, of one category, author or cluster, or with some words; "
        f"{PAGE}",
    )
    def documents_page(
        self,
        info: Info,
        author_id: AuthorId = UNSET,
        category_slug: CategorySlug = UNSET,
        cluster_id: ClusterId = UNSET,
        include_drafts: Drafts = UNSET,
        include_subcategories: Subcategories = UNSET,
        limit: Limit = UNSET,
        offset: Offset = UNSET,
        search: Search = UNSET,
    ) -> DeliveryPage:
        page, query = page_of(limit=limit, offset=offset, search=search), info.context.query
        slug = _or_none(category_slug)
        wanted = query.wanted(
            categoryId=None if slug is None else query.filed_under(slug, bool(include_subcategories)),
            authorId=_or_none(author_id),
            clusterId=_or_none(cluster_id),
            search=page.pop("search", ""),
            drafts=bool(include_drafts),
        )
        return DeliveryPage(query, wanted, **page)

    @strawberry.field(
        graphql_type=list[Redirect],
        description="The slugs under which published documents were delivered before, those left last first. A slug "
        "that another document is delivered under now is none; one that several documents left leads to the latest.",
    )
    def redirects(self, info: Info, limit: Limit = UNSET, offset: Offset = UNSET) -> Sequence[DeliveredRedirect]:
        page = page_of(limit=limit, offset=offset)
        return info.context.query.redirects[page["offset"] : page["offset"] + page["limit"]]

    @strawberry.field(
        graphql_type=Redirect | None,
        description="Where a slug leads that a document was delivered under before.",
    )
    def redirect(self, info: Info, from_: From) -> DeliveredRedirect | None:
        return next(iter(info.context.query.redirect(from_)), None)


def sdl() -> str:
    """Returns the schema in GraphQL's schema definition language."""
    return strawberry.Schema(Query).as_str() + "\n"
