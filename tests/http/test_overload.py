"""A caller that has too many requests waiting is refused before Flask has work with it (decisions, section 11)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from app.http import in_flight
from app.http.concurrency import Bound, ConcurrencyLimit
from app.http.requests import SECURITY_HEADERS
from app.server import create_app
from app.settings import Settings
from app.store.store import Store
from app.vocabulary import TokenKind
from tests.live import until
from tests.make import Project


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> ConcurrencyLimit:
    """Two places, one of them for each caller, of whom one request may wait."""
    one = Bound(1, waiting=1)
    limit = ConcurrencyLimit(
        Bound(2, waiting=4), caller=one, project=one, address=Bound(2, waiting=4), seconds=30, busy="Too many."
    )
    monkeypatch.setattr(in_flight, "WORKING", limit)
    return limit


@pytest.fixture
def app(limit: ConcurrencyLimit, store: Store) -> Flask:
    settings = Settings(mongodb_uri="mongodb://given", rate_limit=0, failed_auth_limit=0, log_level="WARNING")
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
    assert refused.headers["X-Request-Id"] == "mine"
    assert refused.headers["Cache-Control"] == "no-store"
    assert SECURITY_HEADERS.items() <= dict(refused.headers).items()


def test_other_callers_and_health_are_answered(app: Flask, project: Project, secret: str) -> None:
    client = app.test_client()

    assert client.get("/health", headers=bearer(secret)).status_code == 200
    assert client.get("/ready", headers=bearer(secret)).status_code == 503
    assert client.get("/ready").status_code == 200


def test_the_delivery_api_refuses_in_its_own_format(app: Flask, limit: ConcurrencyLimit, project: Project) -> None:
    secret = project.token(kind=TokenKind.DELIVERY).secret
    client, query = app.test_client(), "/graphql?query={documents{id}}"
    with limit.place(caller=secret) as held, ThreadPoolExecutor(1) as threads:
        waits = threads.submit(app.test_client().get, query, headers=bearer(secret))
        until(lambda: limit.waiting == 1)
        refused = client.get(query, headers={**bearer(secret), "Origin": "https://site.example"})
        held.release()
        assert waits.result(20).status_code == 200

    assert refused.status_code == 503
    assert refused.get_json()["errors"][0]["extensions"]["code"] == "SERVICE_UNAVAILABLE"
    assert refused.headers["Access-Control-Allow-Origin"] == "*"


def test_the_log_says_once_a_second_how_many_were_refused(
    app: Flask, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "content_workflow.requests")
    client = app.test_client()
    for _ in range(5):
        assert client.get("/briefs", headers=bearer(secret)).status_code == 503

    lines = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [(line.message, vars(line)["refused"]) for line in lines] == [("too many requests of one caller", 1)]
