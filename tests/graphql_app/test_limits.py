"""Queries that are too much are refused with a code, before anything is fetched, in no time (decisions, section 7)."""

import time
from collections.abc import Callable

import pytest
from graphql import get_introspection_query, parse

from app.core.errors import ResponseTooLarge
from app.core.store.store import Store
from app.features import ALL
from graphql_app.limits import delivery_schema, validated
from graphql_app.types import DeliveryContext
from tests.graphql_app.client import GraphQL, published
from tests.graphql_app.watched import Watched
from tests.graphql_app.worst import ALLOWED, REFUSED
from tests.make import Project, a_document, an_app

WORK = "{" + " ".join(f"field{n}" for n in range(300)) + "}"
QUIET_SECONDS = 0.003
"""What `_work` takes on the slowest machine that the 20 milliseconds are promised for, when it does nothing else."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_query_that_is_too_much_is_refused_with_a_code_in_20_milliseconds(graphql: GraphQL, name: str) -> None:
    code, query = REFUSED[name]
    answer = graphql.post(query)

    assert "data" not in answer.json
    assert {error["extensions"]["code"] for error in answer.json["errors"]} == {code}
    assert all(error["message"] for error in answer.json["errors"])
    assert any(_slowed(_refusal_of(query)) < 0.02 for _ in range(50))


@pytest.mark.parametrize("name", ALLOWED)
def test_a_query_within_the_limits_is_answered(graphql: GraphQL, name: str) -> None:
    answer = graphql.post(ALLOWED[name], operationName="A1" if name == "operations" else None)

    assert "errors" not in answer.json


def _refusal_of(query: str) -> Callable[[], object]:
    """Returns what has a query refused by a schema that has not seen it; nothing is read, as there is no database."""
    schema = delivery_schema(ALL, introspection=True)
    validated.cache_clear()
    request = DeliveryContext(None, None)  # type: ignore[arg-type]
    return lambda: schema.execute_sync(query, context_value=request)


def _slowed(run: Callable[[], None]) -> float:
    """Returns the processor time that something takes, less what the machine is slowed down by other work now."""
    began = time.thread_time()
    _work()
    between = time.thread_time()
    run()
    ended = time.thread_time()
    return (ended - between) / max(1.0, (between - began) / QUIET_SECONDS)


def _work() -> None:
    """Parses a query: work of the same kind as a refusal, so that a slow machine slows both down alike."""
    parse(WORK)


def test_introspection_is_allowed_and_can_be_switched_off(graphql: GraphQL, store: Store) -> None:
    assert "__schema" in graphql.data(get_introspection_query())
    closed = graphql.through(an_app(store, graphql_introspection=False))

    assert set(closed.codes(get_introspection_query())) == {"GRAPHQL_VALIDATION_FAILED"}
    assert "Did you mean" not in closed.post("{ document { id } }").text
    assert closed.data("{ __typename }") == {"__typename": "Query"}


def test_the_depth_of_introspection_does_not_count(graphql: GraphQL) -> None:
    deep = "{ __schema { types { fields { type { ofType { ofType { ofType { ofType { ofType { name } } } } } } } } } }"
    chain = (
        "{ documents { category { category { category { category { category { category { id __typename } } } } } } } }"
    )

    assert "__schema" in graphql.data(deep)
    assert graphql.data(chain) == {"documents": []}


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("query($l: Int) { documents(limit: $l) { %s } }", {"l": 100}),
        ("query($l: Int = 100) { documents(limit: $l) { %s } }", {}),
        ("query($l: Int!) { a: documents(limit: $l) { id } documents(limit: $l) { %s } }", {"l": 95}),
        ("{ documents(limit: 100) { ... on Document { %s } } }", {}),
        ("{ documents(limit: 100) { ...F } } fragment F on Document { %s }", {}),
        ("query($y: Boolean!) { documents(limit: 100) { ... @include(if: $y) { %s } } }", {"y": True}),
        ("query($n: Boolean!) { documents(limit: 100) { ... @skip(if: $n) { %s } } }", {"n": False}),
    ],
)
def test_the_cost_is_known_whatever_form_the_query_has(graphql: GraphQL, query: str, variables) -> None:
    dear = " ".join(f"c{n}: category {{ category {{ category {{ category {{ id }} }} }} }}" for n in range(13))

    assert graphql.codes(query.replace("%s", dear), variables) == ["QUERY_TOO_COSTLY"]
    left_out = {"y": False} if "y" in variables else {"n": True} if "n" in variables else {**variables, "l": 50}
    if "100" not in query or left_out.keys() & {"y", "n"}:
        assert "documents" in graphql.data(query.replace("%s", dear), left_out)


def test_a_page_that_is_out_of_range_hides_the_cost_of_nothing_beside_it(graphql: GraphQL) -> None:
    dear = "documents(limit: 100) { related(limit: 10) { related(limit: 10) { related(limit: 10) { id } } } }"

    for wrong in (
        'documentsInCategory(categoryId: "0") { related(limit: 99) { id } }',
        "a: documents(limit: 999) { id }",
    ):
        assert graphql.codes(f"{{ {wrong} {dear} }}") == ["QUERY_TOO_COSTLY"]


def test_the_cost_is_a_document_and_each_step_of_its_category_chain(graphql: GraphQL) -> None:
    def query(short: int) -> str:
        """100 documents, each with 48 steps in long chains, and some in short ones."""
        long = " ".join(f"l{n}: {'category { ' * 6}id{' }' * 6}" for n in range(8))
        return f"{{ documents(limit: 100) {{ {long} {' '.join(f's{n}: category {{ id }}' for n in range(short))} }} }}"

    assert graphql.data(query(short=1)) == {"documents": []}  # 100 * (1 + 48 + 1) = 5,000
    assert graphql.codes(query(short=2)) == ["QUERY_TOO_COSTLY"]


def test_a_request_of_more_than_any_query_needs_is_refused(graphql: GraphQL) -> None:
    answer = graphql.post("{ documents { id } }", {"more": "x" * 300_000})

    assert answer.status_code == 413
    assert answer.json["errors"][0]["extensions"]["code"] == "REQUEST_TOO_LARGE"


def test_previews_that_are_longer_than_their_text_are_counted_as_they_are_rendered(
    project: Project, preview: GraphQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.delivery.texts.RENDERING_SECONDS", 60)  # on a busy machine it may take more than 5
    a_document(project.context(), markdown="|a" * 100 + "\n" + "|-" * 100 + "\n" + "|a\n" * 1_900)
    names = " ".join(f"h{number}: html" for number in range(15))

    answer = preview.post(f"{{ documents(includeDrafts: true) {{ preview {{ {names} }} }} }}")

    assert [error["message"] for error in answer.json["errors"]] == [ResponseTooLarge.message]
    [found] = preview.data("{ documents(includeDrafts: true) { preview { html } } }")["documents"]
    assert len(found["preview"]["html"]) > 1_500_000


@pytest.mark.needs_mongod
def test_bodies_over_16_megabytes_together_are_refused_before_they_are_read(
    project: Project, graphql: GraphQL, watched: Watched
) -> None:
    for number in range(4):
        published(project, title=f"Long {number}", markdown="four" * 250_000)
    several = "a: documents { html } b: documents { html } c: documents { html } d: documents { html }"

    answer = graphql.through(watched.app).post(
        "{ documents { title } %s e: documents { html } }".replace("%s", several)
    )

    assert {error["extensions"]["code"] for error in answer.json["errors"]} == {"RESPONSE_TOO_LARGE"}
    assert "bodies" not in watched.collections
    found = graphql.data("{ documents { title } a: documents { html } b: documents(limit: 2) { markdown html } }")
    assert [len(document["markdown"]) for document in found["b"]] == [1_000_000] * 2
    names = " ".join(f"h{n}: html" for n in range(5))
    assert graphql.codes("{ documents { %s } }".replace("%s", names)) == ["RESPONSE_TOO_LARGE"]
