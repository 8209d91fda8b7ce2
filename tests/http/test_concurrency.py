"""Requests over a limit are refused at once, in the format of their interface; `/health` has no limit."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.core.concurrency import ConcurrencyLimit
from app.http import callers
from app.projects.access import hash_of
from tests.http.conftest import Configured
from tests.make import Project, a_document
from tests.rest.client import Rest

BUSY = "Too many."


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> ConcurrencyLimit:
    """Two requests at the same time, one of each caller."""
    limit = ConcurrencyLimit(2, each=1, busy=BUSY)
    monkeypatch.setattr(callers, "REQUESTS", limit)
    return limit


@pytest.fixture
def secret(limit: ConcurrencyLimit, project: Project) -> str:
    """A token of which one request is worked on."""
    secret = project.token().secret
    limit.acquire(hash_of(secret))
    return secret


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def briefs(app: Flask, secret: str) -> TestResponse:
    return app.test_client().get("/briefs", headers=bearer(secret))


def test_another_request_of_the_token_is_refused_until_the_first_has_ended(
    app: Flask, limit: ConcurrencyLimit, secret: str
) -> None:
    refused = briefs(app, secret)

    assert (refused.status_code, refused.json) == (503, {"_tag": "ServiceUnavailable", "message": BUSY})
    assert int(refused.headers["Retry-After"]) > 0
    limit.release(hash_of(secret))
    assert [briefs(app, secret).status_code for _ in range(3)] == [200] * 3, "each gives its place back"


def test_other_callers_and_health_are_answered_until_the_process_is_full(
    app: Flask, project: Project, limit: ConcurrencyLimit, secret: str
) -> None:
    other = project.token().secret
    assert briefs(app, other).status_code == 200

    limit.acquire("another caller")

    assert briefs(app, other).status_code == 503
    assert app.test_client().get("/ready").status_code == 503
    assert app.test_client().get("/health").status_code == 200


def test_a_session_of_the_console_is_a_caller(app: Flask, limit: ConcurrencyLimit) -> None:
    limit.acquire(hash_of("of-mine"))
    client = app.test_client(use_cookies=False)

    for cookie, status in (
        ("a=b; cw_session=of-mine; c=d", 503),
        ("cw_session=other", 303),
        ("xcw_session=of-mine", 303),
    ):
        assert client.get("/console/board", headers={"Cookie": cookie}).status_code == status


def test_a_request_that_fails_gives_its_place_back(
    configured: Configured, limit: ConcurrencyLimit, secret: str
) -> None:
    def broken() -> Any:
        raise ZeroDivisionError

    app = configured()
    limit.release(hash_of(secret))
    app.view_functions["briefs.listBriefs"] = broken

    assert [briefs(app, secret).status_code for _ in range(3)] == [500] * 3


def test_a_secret_is_held_as_its_hash_alone(configured: Configured, limit: ConcurrencyLimit, project: Project) -> None:
    app, secret, seen = configured(), project.token().secret, list[str]()
    app.before_request(lambda: seen.extend(limit._held))

    assert briefs(app, secret).status_code == 200
    assert seen == [hash_of(secret)]
    assert limit._held == {}


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
    origin = {"Origin": "https://site.example"}
    refused = app.test_client().open(path, method=method, headers={**bearer(secret), **origin, **headers})

    assert (refused.status_code, refused.content_type) == (503, content_type)
    assert said in refused.data
    is_delivery = path.startswith(("/graphql", "/delivery"))
    assert refused.headers.get("Access-Control-Allow-Origin") == ("*" if is_delivery else None)


def test_a_hundred_agents_of_a_project_that_ask_at_once_are_all_answered(
    configured: Configured, project: Project
) -> None:
    app = configured()
    secrets = [project.token(f"Agent {number}").secret for number in range(100)]
    together = Barrier(len(secrets))

    def ask(secret: str) -> int:
        together.wait(90)
        return briefs(app, secret).status_code

    with ThreadPoolExecutor(len(secrets)) as threads:
        assert list(threads.map(ask, secrets)) == [200] * len(secrets)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> ConcurrencyLimit:
    """1 MB of large bodies and responses at the same time."""
    limit = ConcurrencyLimit(1_000_000, each=1_000_000, busy=BUSY)
    monkeypatch.setattr(callers, "LARGE", limit)
    return limit


def test_a_large_body_or_response_is_refused_while_too_much_of_others_is_held(
    rest: Rest, project: Project, large: ConcurrencyLimit
) -> None:
    document = a_document(project.context(), markdown="x" * 600_000)
    path, body = f"/documents/{document['id']}", {"title": "Rye", "slug": "x" * 600_000}

    with large.holding("another project", 500_000):
        assert rest.get(path).status_code == 503
        assert rest.post("/document-intents", body).status_code == 503
        assert rest.get("/briefs").status_code == 200
        assert rest.post("/document-intents", {"title": "Rye"}).status_code == 201
    assert rest.get(path).status_code == 200
    assert rest.post("/document-intents", body).status_code == 400
    assert large._held == {}
