"""Metrics: off unless wanted, by token where one is set, and never with an id, a title or a token in a label."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from app.core.store.store import Store
from app.http.metrics import METHODS
from app.settings import VERSION
from tests.make import Project, a_document, an_app


def served(store: Store, **settings: Any) -> FlaskClient:
    """Returns a client of an application with these settings."""
    return an_app(store, **settings).test_client()


@pytest.mark.contract("decided-running.metrics")
def test_without_serve_metrics_there_are_none(store: Store) -> None:
    assert served(store).get("/metrics").status_code == 404


@pytest.mark.contract("decided-running.metrics")
def test_where_a_token_is_set_it_is_required(store: Store) -> None:
    client = served(store, serve_metrics=True, metrics_token="secret")

    for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secret"}, {"Authorization": "Bearer ä"}):
        refused = client.get("/metrics", headers=header)
        assert (refused.status_code, refused.json["_tag"]) == (401, "Unauthorized")
        assert "METRICS_TOKEN" in refused.json["message"]
    assert client.get("/metrics", headers={"Authorization": "Bearer secret"}).status_code == 200


def test_guesses_of_the_token_are_limited_by_address_and_the_right_one_always_works(store: Store) -> None:
    client = served(store, serve_metrics=True, metrics_token="secret", failed_auth_limit=2)
    guesses = [client.get("/metrics", headers={"Authorization": "Bearer guess"}).status_code for _ in range(3)]

    assert guesses == [401, 401, 429]
    assert client.get("/metrics", headers={"Authorization": "Bearer secret"}).status_code == 200


def test_the_metrics_have_the_release_that_runs(store: Store) -> None:
    text = served(store, serve_metrics=True).get("/metrics").text

    assert f'content_workflow_build_info{{version="{VERSION}"}} 1.0' in text


@pytest.mark.contract("decided-running.metrics-labels")
@pytest.mark.needs_mongod
def test_a_request_counts_under_its_routes_template_and_no_label_names_a_record(store: Store, project: Project) -> None:
    client, token = served(store, serve_metrics=True), project.token("Confidential name")
    document = a_document(project.context(token), title="Unheard of")
    headers = {"Authorization": f"Bearer {token.secret}"}
    for path in (f"/documents/{document['id']}", f"/documents/{document['id']}?q=unheard", "/nowhere/at/all"):
        client.get(path, headers=headers)
    client.open("/health", method="BREW")

    text = client.get("/metrics").text

    counted = {
        tuple(sorted(sample.labels.items()))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "content_workflow_requests_total"
    }
    assert (("method", "GET"), ("route", "/documents/<id>"), ("status", "200")) in counted
    assert (("method", "GET"), ("route", "none"), ("status", "404")) in counted
    assert {dict(labels)["method"] for labels in counted} <= {*METHODS, "other"}
    for secret in (document["id"], project.id, token.id, token.secret, "Confidential", "unheard", "nowhere"):
        assert secret not in text
