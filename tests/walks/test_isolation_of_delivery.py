"""Nothing of one project is visible from another to a website; queries and arguments are read from the SDL."""

import hashlib
import json

import pytest
from flask import Flask
from graphql import GraphQLField, GraphQLObjectType, build_schema, get_named_type, is_leaf_type
from werkzeug.test import TestResponse

from app.features import ALL
from graphql_app.schema import sdl
from tests.graphql_app.client import GraphQL, delivery_token
from tests.valid_calls import Scene
from tests.walks.others import WORD, Theirs, plain

pytestmark = pytest.mark.needs_mongod

NAMES = {
    ("author", "slug"): "word",
    ("document", "id"): "document",
    ("category", "id"): "category",
    ("documentsInCategory", "categoryId"): "category",
    ("documentBySlug", "slug"): "word",
    ("categoryBySlug", "slug"): "word",
    ("documentsPage", "authorId"): "member",
    ("documentsPage", "categorySlug"): "word",
    ("documentsPage", "clusterId"): "cluster",
    ("documentsPage", "search"): "word",
    ("documentsPage", "after"): "place in a list",
    ("documentsByIds", "ids"): "document",
    ("documentsByIds", "slugs"): "word",
    ("changes", "after"): "place among changes",
    ("redirect", "from"): "past slug",
}
"""The arguments that name records, and what kind of record."""
NAMES_NOTHING = {"includeDrafts", "includeSubcategories", "limit", "offset", "root"}

QUERIES = build_schema(sdl(ALL)).query_type.fields


def selection(type: GraphQLObjectType, depth: int = 2) -> str:
    """Returns every field of a type, and those of the types that it leads to."""
    inner = {name: get_named_type(field.type) for name, field in type.fields.items()}
    leaves = [name for name, of in inner.items() if is_leaf_type(of)]
    below = [f"{name} {selection(of, depth - 1)}" for name, of in inner.items() if depth and not is_leaf_type(of)]
    return f"{{ {' '.join([*leaves, *below])} }}"


def query(name: str, **arguments: str) -> str:
    """Returns a query for everything that a field gives."""
    of: GraphQLField = QUERIES[name]
    pages = {one: 2 for one in of.args if one == "limit"} | {one: "true" for one in of.args if one == "includeDrafts"}
    sent = {**{one: f'"{value}"' for one, value in arguments.items()}, **pages}
    called = f"({', '.join(f'{one}: {value}' for one, value in sent.items())})" if sent else ""
    return f"{{ {name}{called} {selection(get_named_type(of.type))} }}"


def test_every_argument_is_known_to_name_a_record_or_nothing() -> None:
    arguments = {(name, argument) for name, field in QUERIES.items() for argument in field.args}

    assert {one for one in arguments if one[1] not in NAMES_NOTHING} == NAMES.keys(), "say in `NAMES` what it names"


@pytest.fixture(scope="module")
def site(service: Flask, theirs: Theirs) -> GraphQL:
    """The delivery API as a website of the other project calls it."""
    return GraphQL(service.test_client(), delivery_token(theirs.project, drafts=True))


@pytest.mark.contract("decided-projects.invisible", "service.one-project")
@pytest.mark.parametrize(("name", "argument"), NAMES)
def test_what_another_project_has_is_answered_as_what_never_existed(
    commands, theirs: Theirs, site: GraphQL, scene: Scene, name: str, argument: str
) -> None:
    ours, kind = site.by(delivery_token(scene.project, drafts=True)), NAMES[name, argument]

    ours.post(query(name, **{argument: theirs.never[kind][::-1]}))  # so that what is cached for the project is
    answers = []
    for value in (theirs.never[kind], *theirs.values[kind]):
        sent = query(name, **{argument: value})
        shown = plain(site.post(sent).text, value)
        commands.sent.clear()
        answer = ours.post(sent)
        answers.append((answer.status_code, plain(answer.text, value), list(commands.sent)))
        if value == theirs.values[kind][0]:
            assert shown != answers[0][1], "they see it themselves"

    assert answers == [answers[0]] * len(answers)
    assert answers[0][0] == 200
    assert ("errors" in answers[0][1]) == (argument == "after")  # a cursor of no project's is refused


@pytest.mark.parametrize("name", [one for one, field in QUERIES.items() if not {*field.args} - NAMES_NOTHING])
def test_a_list_holds_nothing_of_another_project(site: GraphQL, scene: Scene, name: str) -> None:
    sent = query(name)
    assert WORD in site.post(sent).text

    answer = site.by(delivery_token(scene.project, drafts=True)).post(sent)

    assert "errors" not in answer.json
    assert WORD not in answer.text


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_query_that_another_project_sent_is_not_found_by_its_hash(site: GraphQL, scene: Scene, method: str) -> None:
    sent = f'{{ documentBySlug(slug: "{WORD}") {{ title }} }} # {method}'
    site.post(sent)
    by_hash = {"persistedQuery": {"version": 1, "sha256Hash": hashlib.sha256(sent.encode()).hexdigest()}}

    def asked(site: GraphQL) -> TestResponse:
        return site.post(None, extensions=by_hash) if method == "POST" else site.get(extensions=json.dumps(by_hash))

    assert "errors" not in asked(site).json

    answer = asked(site.by(delivery_token(scene.project)))

    assert [one["extensions"]["code"] for one in answer.json["errors"]] == ["PERSISTED_QUERY_NOT_FOUND"]


@pytest.mark.parametrize("feed", ["feed", "sitemap"])
def test_a_feed_holds_nothing_of_another_project(site: GraphQL, theirs: Theirs, scene: Scene, feed: str) -> None:
    scene.call("update_project", siteUrl="https://example.org")
    scene.document("publish_document")
    assert WORD in site.feed(feed).text

    answer = site.by(delivery_token(scene.project)).feed(feed)

    assert answer.status_code == 200
    assert WORD not in answer.text
