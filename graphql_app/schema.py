"""The schema of the delivery API: its queries. Their resolvers ask the `DeliveryQuery` of the request."""

from collections.abc import Sequence
from typing import Annotated, Any

import strawberry
from strawberry import ID, UNSET, argument, field
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.field import StrawberryField

from app.core.errors import BadRequest, Problem
from app.core.features import Features
from app.delivery.queries import DeliveredDocument, DeliveryPage
from app.delivery.responses import DeliveredAuthor, DeliveredCategory, DeliveredRedirect
from app.delivery.schemas import DeliveryPage as DeliveryQueryPage
from graphql_app.types import Author, Category, Document, DocumentPage, Info, Redirect, page_of, sent

Drafts = Annotated[
    bool | None,
    argument(description="Add documents that are not published. Needs the drafts permission. Default: false."),
]
Limit = Annotated[int | None, argument(description="The most items to return, 1 to 100. Default: 20.")]
Offset = Annotated[int | None, argument(description="Items to skip, 0 to 100,000. Default: 0.")]
Slug = Annotated[str, argument(description="The slug.")]
Id = Annotated[ID, argument(description="The id. An invalid one gives null.")]
CategoryId = Annotated[ID, argument(description="The category's id. An unknown one gives no documents.")]
CategorySlug = Annotated[str | None, argument(description="Only documents of the category with this slug.")]
Subcategories = Annotated[bool | None, argument(description="Add those of all categories below it. Default: false.")]
AuthorId = Annotated[ID | None, argument(description="Only documents by this author. An unknown id gives none.")]
ClusterId = Annotated[ID | None, argument(description="Only documents of this cluster. An unknown id gives none.")]
Search = Annotated[
    str | None,
    argument(
        description="Only those with all of these words in title, subtitle or excerpt, ignoring case and accents."
    ),
]
After = Annotated[
    str | None,
    argument(description="The `endCursor` of the page before, instead of `offset`: no document that stays is skipped."),
]
Root = Annotated[bool | None, argument(name="root", description="Only those without a parent. Default: false.")]
From = Annotated[str, argument(name="from", description="The past slug.")]

AFTER_AND_OFFSET = "Send `after` or `offset`, not both."
PAGE = (
    "newest publication first; after them, with `includeDrafts`, those that are not published, newest first. "
    "A page shorter than `limit` is the last one."
)


@strawberry.type(description="Published content of the project that the token belongs to.")
class Query:
    @field(graphql_type=Author | None, description="The author of published documents with a slug.")
    def author(self, info: Info, slug: Slug) -> DeliveredAuthor | None:
        return next((one for one in info.context.query.published_authors.values() if one.slug == slug), None)

    @field(graphql_type=list[Author], description="All authors of published documents, by name.")
    def authors(self, info: Info) -> list[DeliveredAuthor]:
        return list(info.context.query.published_authors.values())

    @field(graphql_type=Category | None, description="A category by its id.")
    def category(self, info: Info, id: Id) -> DeliveredCategory | None:
        return info.context.query.categories.get(id.lower())

    @field(graphql_type=Category | None, description="A category by its slug.")
    def category_by_slug(self, info: Info, slug: Slug) -> DeliveredCategory | None:
        return info.context.query.category_with(slug)

    @field(graphql_type=list[Category], description="All categories, by name.")
    def categories(self, info: Info, root_only: Root = UNSET) -> list[DeliveredCategory]:
        return [one for one in info.context.query.categories.values() if not root_only or one.parent is None]

    @field(graphql_type=Document | None, description="A published document by its id; with the drafts permission any.")
    def document(self, info: Info, id: Id) -> DeliveredDocument | None:
        return info.context.query.document(id)

    @field(
        graphql_type=Document | None,
        description="A published document by its slug; with the drafts permission a draft by its present slug.",
    )
    def document_by_slug(self, info: Info, slug: Slug) -> DeliveredDocument | None:
        return info.context.query.document_with(slug)

    @field(graphql_type=list[Document], description=f"Documents, {PAGE}")
    def documents(
        self, info: Info, include_drafts: Drafts = UNSET, limit: Limit = UNSET, offset: Offset = UNSET
    ) -> list[DeliveredDocument]:
        page, query = page_of(DeliveryQueryPage, limit=limit, offset=offset), info.context.query
        return query.documents(query.wanted(drafts=bool(include_drafts)), **page)

    @field(graphql_type=list[Document], description=f"Documents of one category, without its subcategories'; {PAGE}")
    def documents_in_category(
        self,
        info: Info,
        category_id: CategoryId,
        include_drafts: Drafts = UNSET,
        limit: Limit = UNSET,
        offset: Offset = UNSET,
    ) -> list[DeliveredDocument]:
        page, query = page_of(DeliveryQueryPage, limit=limit, offset=offset), info.context.query
        return query.documents(query.wanted(categoryId=category_id, drafts=bool(include_drafts)), **page)

    @field(graphql_type=DocumentPage, description=f"Documents with how many there are; {PAGE}")
    def documents_page(
        self,
        info: Info,
        after: After = UNSET,
        author_id: AuthorId = UNSET,
        category_slug: CategorySlug = UNSET,
        cluster_id: ClusterId = UNSET,
        include_drafts: Drafts = UNSET,
        include_subcategories: Subcategories = UNSET,
        limit: Limit = UNSET,
        offset: Offset = UNSET,
        search: Search = UNSET,
    ) -> DeliveryPage:
        query = info.context.query
        page = page_of(DeliveryQueryPage, limit=limit, offset=offset, search=search, after=after)
        if (cursor := page.pop("after", None)) is not None:
            if page["offset"]:
                raise BadRequest(AFTER_AND_OFFSET, errors=[Problem(field="offset", message=AFTER_AND_OFFSET)])
            page["after"] = query.place(cursor)
        ids = sent(authorId=author_id, clusterId=cluster_id)
        if isinstance(category_slug, str):
            ids["categoryId"] = query.filed_under(category_slug, bool(include_subcategories))
        wanted = query.wanted(search=page.pop("search", ""), drafts=bool(include_drafts), **ids)
        return DeliveryPage(query, wanted, **page)

    @field(
        graphql_type=list[Redirect],
        description="The slugs under which published documents were delivered before, those left last first. A slug "
        "that another document is delivered under now is none; one that several documents left leads to the latest.",
    )
    def redirects(self, info: Info, limit: Limit = UNSET, offset: Offset = UNSET) -> Sequence[DeliveredRedirect]:
        page = page_of(DeliveryQueryPage, limit=limit, offset=offset)
        return info.context.query.redirects[page["offset"] : page["offset"] + page["limit"]]

    @field(graphql_type=Redirect | None, description="Where a slug leads that a document was delivered under before.")
    def redirect(self, info: Info, from_: From) -> DeliveredRedirect | None:
        return next(iter(info.context.query.redirect(from_)), None)


class DeliverySchema(strawberry.Schema):
    """The schema of an application, with the fields of its features."""

    def __init__(self, features: Features, **options: Any) -> None:
        self.features = features
        super().__init__(Query, **options)

    def get_fields(self, type_definition: StrawberryObjectDefinition) -> list[StrawberryField]:
        """Returns the fields of a type: those of the contract, and those of features at their place in the alphabet."""
        added = [one.field for one in self.features.delivery_fields() if one.type == type_definition.name]
        fields, name_of = [*super().get_fields(type_definition), *added], self.config.name_converter.get_graphql_name
        return sorted(fields, key=lambda one: (name_of(one) != "id", name_of(one))) if added else fields


def sdl(features: Features) -> str:
    """Returns the schema in GraphQL's schema definition language."""
    return DeliverySchema(features).as_str() + "\n"
