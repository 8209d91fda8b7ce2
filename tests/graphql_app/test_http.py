"""GraphQL over HTTP: media types, methods, persisted queries, errors, other origins (decisions, section 7)."""

import gzip
import hashlib
import json
from typing import Any

import pytest
from flask import Flask

from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.store import AccessDenied, Store
from app.core.vocabulary import Scope
from tests.graphql_app.client import GraphQL, delivery_token, published
from tests.make import Project, an_app

QUERY = "{ documents { title } }"
GRAPHQL_RESPONSE = "application/graphql-response+json"


def code(answer: Any) -> str:
    [error] = answer.json["errors"]
    return str(error["extensions"]["code"])


def persisted(query: str) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": hashlib.sha256(query.encode()).hexdigest()}}


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("application/*", "application/json"),
        (GRAPHQL_RESPONSE, GRAPHQL_RESPONSE),
        (f"{GRAPHQL_RESPONSE}, application/json;q=0.9", GRAPHQL_RESPONSE),
        (f"application/json, {GRAPHQL_RESPONSE};q=0.5", "application/json"),
        (f"{GRAPHQL_RESPONSE}, application/graphql+json, application/json, text/event-stream", GRAPHQL_RESPONSE),
        ("application/json, text/html;q=0.9", "application/json"),
        (f"{GRAPHQL_RESPONSE}; charset=utf-8, application/json; charset=utf-8", GRAPHQL_RESPONSE),
        (f"{GRAPHQL_RESPONSE};charset=UTF-8;q=0.5, Application/JSON;charset=UTF-8", "application/json"),
    ],
)
def test_the_answer_has_the_media_type_that_is_asked_for(graphql: GraphQL, accept: str | None, media_type: str) -> None:
    for answer in (graphql.get(QUERY, headers={"Accept": accept}), graphql.post(QUERY, headers={"Accept": accept})):
        assert answer.headers["Content-Type"] == f"{media_type}; charset=utf-8"


def test_a_media_type_that_is_neither_is_not_acceptable(graphql: GraphQL) -> None:
    assert graphql.post(QUERY, headers={"Accept": "text/csv"}).status_code == 406


BODY = json.dumps({"query": QUERY}).encode()
NO_REQUESTS = (
    *("", "{", "5", "null", '"text"', "{}", '{"query": 5}', '{"query": null}', '{"query": ""}', '{"a":' * 5_000),
    '{"query": "{ categories { id } }", "variables": []}',
    '{"query": "{ categories { id } }", "variables": "{}"}',
    '{"query": "{ categories { id } }", "operationName": 5}',
    '{"query": "{ categories { id } }", "extensions": 5}',
    '{"query": "{ categories { id } }", "extensions": {"persistedQuery": {"version": 1}}}',
    '{"query": "\\ud800"}',
)
NO_JSON = ("text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin-1")


@pytest.mark.parametrize(
    ("body", "headers", "status", "refusal"),
    [
        *((body, {}, 400, "BAD_REQUEST") for body in NO_REQUESTS),
        *((body, {}, 400, "BATCH_NOT_SUPPORTED") for body in (f"[{BODY.decode()}]", " []", "[" * 5_000)),
        *((BODY, {"Content-Type": kind}, 415, "UNSUPPORTED_MEDIA_TYPE") for kind in NO_JSON),
        (gzip.compress(BODY, mtime=0), {"Content-Encoding": "gzip"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
    ],
)
def test_what_is_no_graphql_request_is_refused(
    graphql: GraphQL, body: Any, headers: dict[str, str], status: int, refusal: str
) -> None:
    answer = graphql.raw(body, headers)

    assert (answer.status_code, code(answer)) == (status, refusal)
    assert all(name in answer.text for name in headers if name == "Content-Encoding")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Encoding": "identity"},
        {"Content-Type": "Application/JSON"},
        {"Content-Type": 'application/json; charset="UTF-8"'},
    ],
)
def test_the_type_of_a_body_is_read_without_regard_to_case(graphql: GraphQL, headers: dict[str, str]) -> None:
    assert graphql.raw(BODY, headers).json == {"data": {"documents": []}}


@pytest.mark.parametrize("name", ["variables", "extensions"])
def test_what_is_not_json_in_an_address_is_named(graphql: GraphQL, name: str) -> None:
    answer = graphql.get("{ categories { id } }", **{name: "{n: 2}"})

    assert answer.status_code == 400
    assert f"`{name}`" in answer.json["errors"][0]["message"]


def test_other_methods_are_not_allowed(graphql: GraphQL) -> None:
    for method in ("put", "patch", "delete"):
        assert getattr(graphql.client, method)("/graphql").status_code == 405
    mutation = "mutation { publish }"
    assert graphql.get(mutation).status_code == 405
    assert graphql.codes(mutation) == ["GRAPHQL_VALIDATION_FAILED"]


@pytest.mark.parametrize("depth", [300, 900])
def test_variables_that_are_nested_too_deep_are_refused(graphql: GraphQL, depth: int) -> None:
    variables: Any = {}
    for _ in range(depth):
        variables = {"a": variables}

    answer = graphql.post("{ __typename }", variables=variables)

    assert (answer.status_code, answer.json["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST")


def test_an_endless_accept_header_is_not_read(graphql: GraphQL) -> None:
    accept = ",".join(f"a/b;q=0.{number}" for number in range(1_000))

    assert graphql.post("{ __typename }", headers={"Accept": accept}).status_code == 400


def test_the_operation_has_to_be_known(graphql: GraphQL) -> None:
    two = "query A { categories { id } } query B { categories { name } }"

    assert code(graphql.post(two)) == code(graphql.post(two, operationName="C")) == "OPERATION_RESOLUTION_FAILURE"
    assert graphql.post(two, operationName="B").json == {"data": {"categories": []}}


@pytest.mark.parametrize("variables", [{}, {"id": None}, {"id": []}, {"id": {"a": 1}}])
def test_variables_that_do_not_fit_are_bad_user_input(graphql: GraphQL, variables: Any) -> None:
    query = "query($id: ID!) { document(id: $id) { id } }"

    for headers, status in (({}, 200), ({"Accept": GRAPHQL_RESPONSE}, 400)):
        answer = graphql.post(query, variables, headers=headers)
        assert (answer.status_code, code(answer)) == (status, "BAD_USER_INPUT")


def test_an_error_names_its_place_and_leaves_the_rest(graphql: GraphQL) -> None:
    answer = graphql.post('{ documents { id } none: document(id: "5") { id } }')
    assert answer.json == {"data": {"documents": [], "none": None}}
    answer = graphql.post("{ categories { id } \n bad: documents(limit: 0) { id } }")

    assert answer.status_code == 200
    [error] = answer.json["errors"]
    assert error == {
        "message": "limit: Must be from 1 to 100.",
        "path": ["bad"],
        "locations": [{"line": 2, "column": 2}],
        "extensions": {"code": "BAD_USER_INPUT"},
    }
    assert answer.json["data"] is None


@pytest.mark.parametrize("secret", ["", "cwd_unknown", "Basic x"])
def test_without_a_valid_delivery_token_the_status_is_401(graphql: GraphQL, project: Project, secret: str) -> None:
    management = project.token(scopes=tuple(Scope)).secret
    revoked = delivery_token(project, revokedAt=project.context().now).secret
    for one in (secret, management, revoked):
        for method in ("get", "post"):
            answer = getattr(graphql, method)(QUERY, headers={"Authorization": f"Bearer {one}"})
            assert (answer.status_code, code(answer)) == (401, "UNAUTHENTICATED")
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="content-workflow"'
            assert answer.headers["Cache-Control"] == "no-store"


def test_a_query_is_persisted_by_its_hash_for_both_methods(project: Project, graphql: GraphQL) -> None:
    published(project, title="Rye")
    query = f"{{ documents {{ title }} }} # {project.id}"
    extensions = persisted(query)
    unknown = graphql.get(extensions=json.dumps(extensions))
    assert (unknown.status_code, code(unknown)) == (200, "PERSISTED_QUERY_NOT_FOUND")
    assert unknown.json["errors"][0]["message"] == "PersistedQueryNotFound"

    registered = graphql.post(query, extensions=extensions)

    by_get, by_post = graphql.get(extensions=json.dumps(extensions)), graphql.post(None, extensions=extensions)
    assert registered.json == by_get.json == by_post.json == {"data": {"documents": [{"title": "Rye"}]}}
    assert by_get.headers["ETag"]


def test_a_hash_of_another_query_is_refused(graphql: GraphQL) -> None:
    answer = graphql.post(QUERY, extensions=persisted("{ categories { id } }"))

    assert (answer.status_code, code(answer)) == (400, "PERSISTED_QUERY_HASH_MISMATCH")


def test_a_query_that_is_refused_is_not_persisted(graphql: GraphQL) -> None:
    extensions = persisted("{ nothing }")
    graphql.post("{ nothing }", extensions=extensions)

    assert code(graphql.post(None, extensions=extensions)) == "PERSISTED_QUERY_NOT_FOUND"


def test_pages_of_every_origin_may_read(graphql: GraphQL) -> None:
    asked = {"Origin": "https://example.com", "Access-Control-Request-Method": "POST"}
    wanted = "authorization, content-type"
    preflight = graphql.client.options("/graphql", headers={**asked, "Access-Control-Request-Headers": wanted})

    assert preflight.status_code == 200
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert {"GET", "POST"} <= set(preflight.headers["Access-Control-Allow-Methods"].split(", "))
    assert preflight.headers["Access-Control-Allow-Headers"] == wanted
    for answer in (graphql.post(QUERY), graphql.post("{"), graphql.by(delivery_token_of_nobody(graphql)).post(QUERY)):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        readable = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert {"ETag", "Retry-After", "Ignored-Fields", "Preference-Applied"} <= readable


def delivery_token_of_nobody(graphql: GraphQL) -> Any:
    return type(graphql.token)("", "cwd_nobody", graphql.token.caller)


def test_the_origins_that_may_read_can_be_named(graphql: GraphQL, store) -> None:
    closed = graphql.through(an_app(store, delivery_allowed_origins=("https://example.com",)))

    assert _allowed(closed, "https://example.com") == "https://example.com"
    assert _allowed(closed, "https://example.org") is None
    assert "Origin" in closed.post(QUERY).headers["Vary"]


def _allowed(graphql: GraphQL, origin: str) -> str | None:
    return graphql.post(QUERY, headers={"Origin": origin}).headers.get("Access-Control-Allow-Origin")


def test_a_bug_is_reported_with_the_requests_id_alone(graphql: GraphQL, app: Flask, store, monkeypatch) -> None:
    broken = graphql.through(an_app(store))
    monkeypatch.setattr("app.publications.store.Publications.page", lambda *_, **__: 1 / 0)

    answer = broken.post(QUERY)

    assert (answer.status_code, code(answer)) == (500, "INTERNAL_SERVER_ERROR")
    assert "division" not in answer.text
    assert answer.headers["X-Request-Id"] in answer.text


def test_a_database_that_refuses_the_service_is_no_bug(
    graphql: GraphQL, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise AccessDenied

    monkeypatch.setattr(DeliveryRevisions, "read", refused)

    answer = graphql.post(QUERY)

    assert (answer.status_code, code(answer)) == (503, "SERVICE_UNAVAILABLE")
    assert "Retry-After" in answer.headers


def test_a_rate_limited_token_gets_the_time_to_wait(graphql: GraphQL, store) -> None:
    limited = graphql.through(an_app(store, rate_limit=1))
    limited.post(QUERY)

    answer = limited.post(QUERY)

    assert (answer.status_code, code(answer)) == (429, "RATE_LIMITED")
    assert int(answer.headers["Retry-After"]) > 0
