"""What is put together here is what graphql-core's executor gives, to the byte."""

from __future__ import annotations

import pytest

from graphql_app import running
from tests.graphql_app.client import GraphQL, opened, published
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


@pytest.mark.parametrize("name", QUERIES)
def test_an_answer_is_the_executors(
    project: Project, graphql: GraphQL, store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    bread = made(project.context(), "category", name="Bread", slug="bread")["id"]
    rye = made(project.context(), "category", name="Rye", slug="rye", categoryId=bread)["id"]
    published(project, slug="rye", categoryId=rye)
    published(project, slug="plain")
    here = graphql.post(QUERIES[name])
    monkeypatch.setattr(running, "assembled", lambda *_: None)

    there = graphql.through(opened(store)).post(QUERIES[name])

    assert "errors" not in there.json
    assert here.data == there.data
