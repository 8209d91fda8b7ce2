"""What a query selects is what is read for it, in whatever form it says so, and no more."""

from typing import Any

import pytest
from graphql import build_schema, execute_sync, parse

from app.features import ALL
from graphql_app.schema import sdl
from tests.graphql_app.client import GraphQL, published
from tests.graphql_app.worst import ALLOWED
from tests.make import Project, made

QUERIES = {
    **{name: query for name, query in ALLOWED.items() if name != "operations"},
    "everything": """{
        __typename
        documents { __typename id title html markdown isPublished coverImage { __typename url } category { ...C } }
        none: document(id: "5") { id } one: documentBySlug(slug: "rye") { title category { ...C } }
        categories { ...C } b: documents(limit: 1) { c: category { n: name } }
    } fragment C on Category { __typename slug name description category { name category { name } } }""",
    "the order of fragments": """{
        documents { ...A title ... on Document { slug id } ...B } c: categories { id } categories { name }
    } fragment A on Document { excerpt ...B } fragment B on Document { id publishedAt }""",
    "conditions": """query($y: Boolean = true, $n: Boolean = false) {
        documents { id @include(if: $n) title @skip(if: $n) ... @include(if: $y) { slug } ...F @skip(if: $y) }
        categories @include(if: $n) { id }
    } fragment F on Document { html }""",
    "fields in parts": "{ documents { category { id } } documents { category { name } title } }",
}
EVERYTHING = """{
    documents { ...D } categories { ...C }
} fragment D on Document {
    id title slug subtitle metaTitle metaDescription excerpt html markdown isPublished publishedAt
    coverImage { url } category { ...C }
} fragment C on Category { id name slug description category { ...P } }
fragment P on Category { id name slug description category { id name } }"""


@pytest.mark.parametrize("name", QUERIES)
def test_an_answer_is_what_graphql_core_makes_of_everything_there_is(
    project: Project, graphql: GraphQL, name: str
) -> None:
    bread = made(project.context(), "category", name="Bread", slug="bread")["id"]
    rye = made(project.context(), "category", name="Rye", slug="rye", categoryId=bread)["id"]
    published(project, slug="rye", categoryId=rye)
    published(project, slug="plain")
    everything = graphql.data(EVERYTHING)

    answer = graphql.post(QUERIES[name]).json

    assert answer == execute_sync(build_schema(sdl(ALL)), parse(QUERIES[name]), _Root(everything)).formatted
    assert "errors" not in answer


class _Root:
    """Resolves the fields of `Query` from records that have every field."""

    def __init__(self, everything: dict[str, Any]) -> None:
        self._documents, self._categories = everything["documents"], everything["categories"]

    def documents(self, info: Any, limit: int = 20, offset: int = 0) -> Any:
        return self._documents[offset : offset + limit]

    def categories(self, info: Any) -> Any:
        return self._categories

    def document(self, info: Any, id: str) -> Any:
        return next((row for row in self._documents if row["id"] == id), None)

    def documentBySlug(self, info: Any, slug: str) -> Any:  # noqa: N802  # the field's name
        return next((row for row in self._documents if row["slug"] == slug), None)
