"""What holds for every route of the management API: a token, and ids of the right form."""

import json
import re
from urllib.parse import urlencode

import pytest
from flask import Flask

from app.core.vocabulary import Kind
from app.features import ALL
from app.rest.api import served
from app.rest.route import Route
from tests.documented import Documented, DocumentedRest
from tests.make import Project
from tests.rest.client import Rest
from tests.valid_calls import EVERY, Scene

SERVED = served(ALL)

OPEN = {"/health", "/ready"}
METHODS = ("get", "post", "put", "patch", "delete")
ROUTES = [route for route in SERVED if route.kind in (None, Kind.DOCUMENT)]
WRONG_VALUES = ("", "?", "x" * 70_000, -1, 10**12, True, [], ["?"], ["?"] * 300, {}, {"?": "?"})
NO_ID = "0123456789abcdef01234567"


@pytest.fixture(scope="session")
def routes(app: Flask) -> list[tuple[str, str, str]]:
    """Every route that needs a token: method, path, operation id."""
    paths = app.test_client().get("/openapi.json").json["paths"]
    return [
        (method.upper(), path, row[method]["operationId"])
        for path, row in paths.items()
        if path not in OPEN
        for method in METHODS
        if method in row
    ]


def filled(path: str, one: str = NO_ID) -> str:
    return path.replace("{id}", one).replace("{version}", "1").replace("{deliveryId}", NO_ID)


@pytest.mark.contract("endpoints.health", "authentication.4")
def test_health_needs_no_token(app) -> None:
    answer = app.test_client().get("/health")

    assert answer.status_code == 200
    assert isinstance(answer.json["status"], str)


@pytest.mark.contract("decided-http.NotFound")
def test_an_id_of_the_wrong_form_is_not_found_on_every_route(app: Flask, rest, routes) -> None:
    paths = app.test_client().get("/openapi.json").json["paths"]
    for method, path, _ in routes:
        described = paths[path][method.lower()].get("requestBody")
        body = described and described["content"].get("application/json", {}).get("example")
        for wrong in ("1", "x", "0" * 23, "0" * 25, "g" * 24, "%00" * 24, "0" * 23 + "٣") if "{id}" in path else ():
            answer = rest.call(method, f"{filled(path, wrong)}?from=1&to=1", body)  # which a comparison requires
            assert (answer.status_code, answer.json["_tag"]) == (404, "NotFound"), (method, path, wrong)
            assert "an id has 24 hexadecimal digits" in answer.json["message"]


@pytest.mark.parametrize("route", [one for one in ROUTES if one.body], ids=lambda route: route.name)
def test_a_wrong_value_of_any_field_is_refused_as_the_document_states(
    app: Flask, project: Project, documented: Documented, route: Route
) -> None:
    api = DocumentedRest(app.test_client(), project.token(), documented)
    call = EVERY[route.operation.name](Scene(project, api.token))
    path = re.sub(r"<\w+>", "{}", route.path).format(*call.ids)
    assert route.body

    for name, field in route.body().fields.items():
        for wrong in WRONG_VALUES:
            api.call(route.method, path, {**call.fields, field.data_key or name: wrong})


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-http.PreconditionFailed", "decided-http.etag")
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_conditions_and_etags_are_those_that_the_document_states(app: Flask, project: Project, route: Route) -> None:
    document = app.test_client().get("/openapi.json").json
    described = document["paths"][re.sub(r"<(\w+)>", r"{\1}", route.path)][route.method.lower()]
    api = Rest(app.test_client(), project.token())
    call = EVERY[route.operation.name](Scene(project, api.token))
    path, fields = re.sub(r"<\w+>", "{}", route.path).format(*call.ids), call.fields
    if route.operation.reads:
        given = {name: ",".join(one) if isinstance(one, list) else json.dumps(one) for name, one in fields.items()}
        path, fields = f"{path}?{urlencode(given)}", None

    present = {}
    if any(one.get("$ref", "").endswith("/If-Match") for one in described.get("parameters", ())):
        refused = api.call(route.method, path, fields, If_Match='"999-999"')
        assert refused.json["_tag"] in ("PreconditionFailed", "VersionConflict")
        if refused.status_code == 412:
            other_rev = re.sub(r"\d+(x?)\"$", r'999\1"', refused.headers["ETag"])
            assert api.call(route.method, path, fields, If_Match=other_rev).status_code == 412
            present = {"If_Match": f'"999-999", {refused.headers["ETag"]}'}
    answer = api.call(route.method, path, fields, **present)
    assert answer.status_code < 300
    assert ("ETag" in answer.headers) == ("ETag" in described["responses"][str(answer.status_code)]["headers"])
    if route.method == "GET" and "ETag" in answer.headers:
        assert api.get(path, If_None_Match=answer.headers["ETag"]).status_code == 304
        assert "304" in described["responses"]
