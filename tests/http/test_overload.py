"""A caller that has too many requests waiting is refused before Flask has work with it (decisions, section 11)."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, request, request_started
from werkzeug.test import Client, TestResponse

from app.http import connections, in_flight, overload
from app.http.concurrency import Bound, ConcurrencyLimit
from app.http.requests import SECURITY_HEADERS
from app.server import create_app
from app.settings import Settings
from app.store.store import Store
from tests.live import until
from tests.make import Project


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> ConcurrencyLimit:
    """Two places, one of them for each caller, of whom one request may wait, and for each project, of which two may."""
    one, two = Bound(1, waiting=1), Bound(1, waiting=2)
    limit = ConcurrencyLimit(
        Bound(2, waiting=4), caller=one, project=two, address=Bound(2, waiting=4), seconds=30, busy="Too many."
    )
    monkeypatch.setattr(in_flight, "WORKING", limit)
    return limit


@pytest.fixture(params=["*"])
def settings(request: pytest.FixtureRequest) -> Settings:
    return Settings(
        mongodb_uri="mongodb://given",
        rate_limit=0,
        failed_auth_limit=0,
        log_level="WARNING",
        serve_metrics=True,
        delivery_allowed_origins=request.param,
    )


@pytest.fixture
def app(limit: ConcurrencyLimit, settings: Settings, store: Store) -> Flask:
    return create_app(settings, store)


@pytest.fixture
def app_without(settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The application without the middleware: Flask itself refuses."""
    with monkeypatch.context() as patched:
        patched.setattr(overload, "RefuseEarly", lambda app, _routes: app)
        return create_app(settings, store)


@pytest.fixture
def secret(limit: ConcurrencyLimit, app: Flask, project: Project) -> Iterator[str]:
    """A token of which one request is worked on and another waits."""
    secret = project.token().secret
    with limit.place(caller=secret) as held, ThreadPoolExecutor(1) as threads:
        waits = threads.submit(app.test_client().get, "/briefs", headers=bearer(secret))
        until(lambda: limit.waiting == 1)
        yield secret
        held.release()
        assert waits.result(20).status_code == 200


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_the_refusal_says_what_to_do_and_has_the_headers_of_every_response(app: Flask, secret: str) -> None:
    refused = app.test_client().get("/briefs", headers={**bearer(secret), "X-Request-Id": "mine"})

    assert refused.status_code == 503
    assert refused.json == {"_tag": "ServiceUnavailable", "message": "Too many."}
    assert refused.headers["Retry-After"] == "2"
    assert refused.headers["Connection"] == "close"
    assert refused.headers["X-Request-Id"] == "mine"
    assert refused.headers["Cache-Control"] == "no-store"
    assert SECURITY_HEADERS.items() <= dict(refused.headers).items()


def test_other_callers_and_health_are_answered(app: Flask, project: Project, secret: str) -> None:
    client = app.test_client()

    assert client.get("/health", headers=bearer(secret)).status_code == 200
    assert client.get("/ready", headers=bearer(secret)).status_code == 503
    assert client.get("/ready").status_code == 200


def test_a_project_with_as_many_requests_as_may_wait_is_refused_with_any_of_its_tokens(
    app: Flask, project: Project, limit: ConcurrencyLimit
) -> None:
    """What waits to be authenticated counts for its project too, else one with many tokens would fill the queue."""
    secrets = [project.token().secret for _ in range(3)]
    assert [briefs(app, one).status_code for one in secrets] == [200] * 3

    with ThreadPoolExecutor(2) as threads:
        with limit.place(caller="another", project=project.id):
            waits = [threads.submit(briefs, app, one) for one in secrets[:2]]
            until(lambda: limit.waiting == 2)
            refused = briefs(app, secrets[2])
            assert (refused.status_code, refused.headers.get("Connection")) == (503, "close")
            assert app.test_client().get("/ready").status_code == 200
        assert [one.result(20).status_code for one in waits] == [200] * 2


def test_requests_of_many_callers_that_are_not_known_leave_room_for_those_that_are(
    app: Flask, project: Project, limit: ConcurrencyLimit
) -> None:
    known = project.token().secret
    assert briefs(app, known).status_code == 200

    with ThreadPoolExecutor(2) as threads:
        with limit.place(caller="a", project=in_flight.NO_PROJECT):
            waits = [threads.submit(briefs, app, f"cwm_{number}") for number in range(2)]
            until(lambda: limit.waiting == 2)
            assert briefs(app, "cwm_2").status_code == 503
            assert briefs(app, known).status_code == 200
        assert [one.result(20).status_code for one in waits] == [401] * 2


def test_a_hundred_agents_of_a_project_that_ask_at_once_are_all_answered(
    settings: Settings, store: Store, project: Project
) -> None:
    app = create_app(settings, store)
    secrets = [project.token(f"Agent {number}").secret for number in range(100)]
    together = Barrier(len(secrets))

    def ask(secret: str) -> int:
        together.wait(30)
        return briefs(app, secret).status_code

    with ThreadPoolExecutor(len(secrets)) as threads:
        assert list(threads.map(ask, secrets)) == [200] * len(secrets), "none was known before"
        assert list(threads.map(ask, secrets)) == [200] * len(secrets)


def briefs(app: Flask, secret: str) -> TestResponse:
    return app.test_client().get("/briefs", headers=bearer(secret))


def test_a_secret_that_was_not_valid_for_a_minute_counts_under_no_project(
    app: Flask, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_flight, "VALID_SECONDS", 0)
    secret = project.token().secret

    assert briefs(app, secret).status_code == 200

    keys = in_flight.identify({"HTTP_AUTHORIZATION": f"Bearer {secret}"})
    assert keys["project"] == in_flight.NO_PROJECT


def test_of_requests_that_are_refused_together_one_is_logged_and_has_the_connections_looked_at(
    app: Flask, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[str] = []
    looked: list[bool] = []

    def log(message: str, **_: object) -> None:
        logged.append(message)
        time.sleep(0.2)  # as long as a busy log takes

    monkeypatch.setattr(overload, "LOG_SECONDS", 30)
    monkeypatch.setattr(overload.log, "warning", log)
    monkeypatch.setattr(connections, "look_often", lambda: looked.append(True))
    with ThreadPoolExecutor(16) as threads:
        refused = list(threads.map(lambda _: app.test_client().get("/briefs", headers=bearer(secret)), range(64)))

    assert {response.status_code for response in refused} == {503}
    assert (logged, looked) == (["too many requests of one caller"], [True])


ORIGIN = {"Origin": "https://site.example"}
PREFLIGHT = ORIGIN | {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
HTML = {"Accept": "text/html,*/*;q=0.8", "Accept-Encoding": "gzip, br"}
VARIANTS: list[dict[str, str]] = [
    {},
    ORIGIN,
    {"Origin": "https://other.example"},
    PREFLIGHT,
    HTML,
    {"HX-Request": "true", **HTML},
    {"Accept": "application/graphql-response+json"},
    {"Accept": "image/png", "Accept-Encoding": "identity"},
]


PATHS = (
    *("/briefs", "/documents/x?dryRun=true", "/mcp", "/openapi.json", "/nowhere", "/", "/graphql"),
    *("/graphql/explorer/graphiql.min.js", "/delivery/feed.xml", "/console/board", "/console/assets/x/y"),
)


@pytest.fixture
def many_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overload, "MOST_FORMATS", 10_000)


@pytest.mark.usefixtures("many_formats")
@pytest.mark.parametrize("settings", ["*", "https://site.example"], indirect=True)
def test_each_interface_refuses_early_as_flask_does(app: Flask, app_without: Flask, secret: str) -> None:
    requests = [(path, {**bearer(secret), **headers}) for path in PATHS for headers in VARIANTS]
    assert differences(app, app_without, requests) == []


@pytest.mark.usefixtures("many_formats")
def test_each_route_refuses_early_as_flask_does(app: Flask, app_without: Flask, secret: str) -> None:
    paths = {re.sub("<.*?>", "x", rule.rule) for rule in app.url_map.iter_rules()}
    assert len(paths) > 100
    requests = [(path, {**bearer(secret), **PREFLIGHT}) for path in sorted(paths) if not path.endswith("/health")]
    assert differences(app, app_without, requests) == []


def differences(app: Flask, app_without: Flask, requests: list[tuple[str, dict[str, str]]]) -> list[tuple[Any, ...]]:
    """Returns the requests to which the first or second early refusal is not the one that Flask itself makes."""
    early, by_flask = Client(app), Client(app_without)
    found = []
    for path, headers in requests:
        for method in ("GET", "POST", "HEAD", "OPTIONS"):
            first, second, expected = (
                parts(client.open(path, method=method, headers=headers)) for client in (early, early, by_flask)
            )
            if not first == second == expected:
                found.append((method, path, first, expected))
    return found


def parts(response: TestResponse) -> tuple[str, list[tuple[str, str]], bytes]:
    assert response.status_code == 503
    own = ("Connection", "X-Request-Id")
    return response.status, [one for one in response.headers if one[0] not in own], response.data


@pytest.mark.parametrize(
    ("path", "headers", "content_type", "said"),
    [
        ("/briefs", {}, "application/json", b'{"_tag":"ServiceUnavailable","message":"Too many."}'),
        ("/mcp", {}, "application/json", b'{"_tag":"ServiceUnavailable","message":"Too many."}'),
        ("/graphql", {}, "application/json; charset=utf-8", b'"code":"SERVICE_UNAVAILABLE"'),
        ("/delivery/feed.xml", {}, "application/json", b'"_tag":"ServiceUnavailable"'),
        ("/console/board", {}, "text/html; charset=utf-8", b"<p>Too many.</p>"),
        ("/console/board", {"HX-Request": "true"}, "application/json", b'"ok":false'),
    ],
)
def test_each_interface_refuses_in_its_own_format(
    app: Flask, secret: str, path: str, headers: dict[str, str], content_type: str, said: bytes
) -> None:
    method = "POST" if path == "/mcp" else "GET"
    refused = app.test_client().open(path, method=method, headers={**bearer(secret), **ORIGIN, **headers})

    assert (refused.status_code, refused.content_type) == (503, content_type)
    assert said in refused.data
    is_delivery = path.startswith(("/graphql", "/delivery"))
    assert refused.headers.get("Access-Control-Allow-Origin") == ("*" if is_delivery else None)


@pytest.fixture
def begun() -> Iterator[list[str]]:
    """The paths of the requests that reach Flask."""
    paths: list[str] = []

    def note(_: Flask, **_context: object) -> None:
        paths.append(request.path)

    with request_started.connected_to(note):
        yield paths


@pytest.mark.parametrize("path", ["/briefs", "/graphql", "/console/board"])
def test_flask_makes_one_refusal_of_each_format(app: Flask, secret: str, path: str, begun: list[str]) -> None:
    begun.clear()
    with ThreadPoolExecutor(8) as threads:
        refusals = threads.map(lambda _: app.test_client().get(path, headers=bearer(secret)).data, range(50))
        assert len(set(refusals)) == 1
    assert begun == [path]


def test_requests_that_are_all_different_are_refused_in_a_bounded_number_of_formats(
    app: Flask, secret: str, begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overload, "MOST_FORMATS", 5)
    monkeypatch.setattr(overload, "LOG_SECONDS", 3600)
    client = app.test_client()
    client.get("/briefs", headers=bearer(secret))  # the log's first line is the end of the first second
    begun.clear()
    accepted = [f"application/json;q=0.{number}" for number in range(1, 20)]
    refused = [client.get("/graphql", headers={**bearer(secret), "Accept": accept}) for accept in accepted]

    assert {response.status_code for response in refused} == {503}
    assert [b"errors" in response.data for response in refused] == [True] * 4 + [False] * 15
    assert refused[-1].json == {"_tag": "ServiceUnavailable", "message": "Too many."}
    assert len(begun) == 5


@pytest.mark.parametrize("header", ["Accept", "Accept-Encoding", "Origin"])
def test_a_header_that_is_too_long_is_refused_early_as_none(
    app: Flask, secret: str, header: str, begun: list[str]
) -> None:
    client = app.test_client()
    client.get("/graphql", headers=bearer(secret))
    begun.clear()
    refused = [client.get("/graphql", headers={**bearer(secret), header: letter * 9_000}) for letter in "abc"]

    assert [response.status_code for response in refused] == [503] * 3
    assert begun == []


def test_a_bug_in_a_refusal_is_not_copied(app: Flask, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = app.test_client()
    with monkeypatch.context() as patched:
        patched.setattr(in_flight, "ServiceUnavailable", None)
        assert client.get("/briefs", headers=bearer(secret)).status_code == 500

    assert client.get("/briefs", headers=bearer(secret)).status_code == 503


def test_the_refusal_of_too_many_formats_has_the_headers_of_no_request(
    app: Flask, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overload, "MOST_FORMATS", 0)
    for origin in ("https://one.example", "https://two.example"):
        refused = app.test_client().get("/graphql", headers={**bearer(secret), "Origin": origin})
        assert (refused.status_code, refused.json["_tag"]) == (503, "ServiceUnavailable")
        assert origin not in str(refused.headers)


def test_what_is_wrong_with_one_request_is_not_in_the_refusal_of_the_next(app: Flask, secret: str) -> None:
    client, long = app.test_client(), {"X-Long": "a" * 9_000, "Cookie": "cw_notice=" + "a" * 9_000}
    for _ in range(2):
        refused = client.get("/console/board", headers={**bearer(secret), **long})
        assert refused.status_code == 503
        assert "Set-Cookie" not in refused.headers
        long = {}


def test_a_session_of_the_console_is_a_caller(app: Flask, limit: ConcurrencyLimit) -> None:
    cookie = {"Cookie": "a=b; cw_session=of-mine; c=d"}
    client = app.test_client(use_cookies=False)
    with limit.place(caller="of-mine") as held, ThreadPoolExecutor(1) as threads:
        waits = threads.submit(app.test_client(use_cookies=False).get, "/console/board", headers=cookie)
        until(lambda: limit.waiting == 1)
        assert client.get("/console/board", headers=cookie).status_code == 503
        for other in ("xcw_session=of-mine", "a=b cw_session=of-mine", "a=cw_session=of-mine"):
            assert client.get("/console/board", headers={"Cookie": other}).status_code == 303
        held.release()
        assert waits.result(20).status_code == 303


def test_the_log_says_once_a_second_how_many_were_refused(
    app: Flask, secret: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.WARNING, "content_workflow.requests")
    now = time.monotonic()
    clock = iter([now, now + 0.2, now + 0.9, now + 1.1, now + 1.2])
    monkeypatch.setattr(overload, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    client = app.test_client()
    for _ in range(5):
        assert client.get("/briefs", headers=bearer(secret)).status_code == 503

    lines = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [(line.message, vars(line)["refused"]) for line in lines] == [
        ("too many requests of one caller", refused) for refused in (1, 3)
    ]
