"""The schema of the delivery API is a promise: what changes it shows in tests/surface/schema.graphql."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from graphql import build_schema

from app.cli import main

SNAPSHOT = Path(__file__).with_name("schema.graphql")

DOCUMENT = {
    "id": "ID!",
    "category": "Category",
    "coverImage": "CoverImage",
    "excerpt": "String",
    "html": "String!",
    "isPublished": "Boolean!",
    "markdown": "String!",
    "metaDescription": "String",
    "metaTitle": "String",
    "publishedAt": "String",
    "slug": "String!",
    "subtitle": "String",
    "title": "String!",
}
DOCUMENT_CONTINUED = {
    "author": "Author",
    "clusterId": "ID",
    "disclosure": "Disclosure!",
    "preview": "Preview",
    "related": "[Document!]!",
    "sources": "[Source!]!",
    "updatedAt": "String",
    "wordCount": "Int!",
}
CATEGORY = {"id": "ID!", "category": "Category", "description": "String", "name": "String!", "slug": "String!"}
CATEGORY_CONTINUED = {"children": "[Category!]!", "documentCount": "Int!", "parent": "Category"}
CONTINUED = {
    "Author": {"id": "ID!", "bio": "String", "imageUrl": "String", "name": "String!", "slug": "String!"},
    "Disclosure": {"value": "String!", "models": "[String!]!", "reviewedAt": "String", "responsible": "String"},
    "DocumentPage": {
        "documents": "[Document!]!",
        "endCursor": "String",
        "hasNextPage": "Boolean!",
        "totalCount": "Int!",
    },
    "Preview": {
        "category": "Category",
        "coverImage": "CoverImage",
        "excerpt": "String",
        "html": "String",
        "markdown": "String!",
        "metaDescription": "String",
        "metaTitle": "String",
        "slug": "String!",
        "sources": "[Source!]!",
        "subtitle": "String",
        "title": "String!",
        "updatedAt": "String!",
        "version": "Int!",
    },
    "Redirect": {"from": "String!", "to": "String!"},
    "Changes": {
        "authorsChanged": "Boolean!",
        "categoriesChanged": "Boolean!",
        "cursor": "String!",
        "documents": "[Document!]!",
        "hasMore": "Boolean!",
        "removed": "[Removed!]!",
    },
    "Removed": {"id": "ID!", "slug": "String!"},
    "Source": {
        "number": "Int!",
        "title": "String!",
        "url": "String",
        "publisher": "String",
        "publishedOn": "String",
    },
}
"""The types of decisions, sections 15 and 21, which `Document.clusterId` and `Preview.category` were added to."""
PAGE = {"includeDrafts": "Boolean", "limit": "Int", "offset": "Int"}
FILTERS = {
    **{"authorId": "ID", "categorySlug": "String", "clusterId": "ID", "includeSubcategories": "Boolean"},
    "search": "String",
}
QUERY = {
    "category": ("Category", {"id": "ID!"}),
    "categories": ("[Category!]!", {"root": "Boolean"}),
    "document": ("Document", {"id": "ID!"}),
    "documentBySlug": ("Document", {"slug": "String!"}),
    "documents": ("[Document!]!", PAGE),
    "documentsInCategory": ("[Document!]!", {"categoryId": "ID!", **PAGE}),
}
QUERY_CONTINUED = {
    "author": ("Author", {"slug": "String!"}),
    "authors": ("[Author!]!", {}),
    "categoryBySlug": ("Category", {"slug": "String!"}),
    "documentsPage": ("DocumentPage!", {"after": "String", **FILTERS, **PAGE}),
    "changes": ("Changes!", {"after": "String", "limit": "Int"}),
    "documentsByIds": ("[Document!]!", {"ids": "[ID!]", "slugs": "[String!]"}),
    "redirect": ("Redirect", {"from": "String!"}),
    "redirects": ("[Redirect!]!", {"limit": "Int", "offset": "Int"}),
}


def printed() -> str:
    return CliRunner().invoke(main, ["graphql-schema"]).output


def test_the_schema_is_the_one_in_the_snapshot() -> None:
    assert printed() == SNAPSHOT.read_text(), "content-workflow graphql-schema > tests/surface/schema.graphql"


def test_the_package_for_javascript_has_the_same_schema_and_the_licence() -> None:
    top = Path(__file__).parents[2]

    assert (top / "clients/js/src/schema.graphql").read_text() == SNAPSHOT.read_text(), "npm run codegen in clients/js"
    assert (top / "clients/js/LICENSE").read_text() == (top / "LICENSE").read_text()


@pytest.mark.contract(
    "delivery-types.Document",
    "delivery-types.Category",
    "delivery-types.CoverImage",
    "delivery-queries.category",
    "delivery-queries.categories",
    "delivery-queries.document",
    "delivery-queries.documentBySlug",
    "delivery-queries.documents",
    "delivery-queries.documentsInCategory",
)
def test_the_types_are_the_contracts_field_for_field() -> None:
    types = build_schema(printed()).type_map
    fields = {
        name: {key: str(field.type) for key, field in types[name].fields.items()}
        for name in ("Document", "Category", "CoverImage", *CONTINUED)
    }
    queries = {
        key: (str(field.type), {name: str(argument.type) for name, argument in field.args.items()})
        for key, field in types["Query"].fields.items()
    }

    assert fields == {
        "Document": DOCUMENT | DOCUMENT_CONTINUED,
        "Category": CATEGORY | CATEGORY_CONTINUED,
        "CoverImage": {"alt": "String", "height": "Int", "srcset": "String", "url": "String!", "width": "Int"},
        **CONTINUED,
    }
    assert queries == QUERY | QUERY_CONTINUED
    assert {name for name in types if not name.startswith("__")} == {
        *("Query", "Document", "Category", "CoverImage", *CONTINUED),
        *("ID", "String", "Int", "Boolean"),
    }


def test_everything_in_the_schema_is_described() -> None:
    types = build_schema(printed()).type_map
    for name in ("Query", "Document", "Category", "CoverImage", *CONTINUED):
        assert types[name].description
        for field in types[name].fields.values():
            assert field.description
            assert all(argument.description for argument in field.args.values())
