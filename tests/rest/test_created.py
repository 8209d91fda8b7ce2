"""A 201 says where the new record is, where it has an address of its own (decisions, section 1)."""

from typing import Any

import pytest

from tests.documented import DocumentedRest

pytestmark = pytest.mark.needs_mongod

CREATIONS: list[tuple[str, dict[str, Any]]] = [
    ("/document-intents", {"title": "Rye"}),
    ("/cluster-intents", {"name": "Rye"}),
    ("/category-intents", {"name": "Bread", "slug": "bread"}),
    ("/members", {"name": "Ada"}),
    ("/webhooks", {"url": "https://hooks.example.org/content"}),
]


@pytest.mark.contract("decided-http.location")
@pytest.mark.parametrize(("path", "body"), CREATIONS)
def test_a_201_has_the_location_of_the_new_record(api: DocumentedRest, path: str, body: dict[str, Any]) -> None:
    created = api.post(path, body)

    assert (created.status_code, created.headers["Location"]) == (201, f"{path}/{created.json['id']}")
    assert api.get(created.headers["Location"]).json["id"] == created.json["id"]


@pytest.mark.contract("decided-http.location")
@pytest.mark.parametrize(
    ("kind", "collection"), [("document", "documents"), ("cluster", "clusters"), ("category", "categories")]
)
def test_confirming_a_draft_has_the_location_of_the_record(api: DocumentedRest, kind: str, collection: str) -> None:
    [(path, body)] = [(path, body) for path, body in CREATIONS if path == f"/{kind}-intents"]
    draft = api.post(path, body).headers["Location"]

    first = api.post(f"{draft}/confirm", Idempotency_Key="once")
    again = api.post(f"{draft}/confirm", Idempotency_Key="once")

    assert first.headers["Location"] == again.headers["Location"] == f"/{collection}/{first.json[kind]['id']}"
    record = api.get(first.headers["Location"])
    assert record.json == first.json[kind]
    assert first.headers["ETag"] == again.headers["ETag"] == record.headers["ETag"]


@pytest.mark.parametrize("kind", ["cluster", "category"])
def test_a_cluster_and_a_category_begin_with_id_and_name(api: DocumentedRest, kind: str) -> None:
    [(path, body)] = [(path, body) for path, body in CREATIONS if path == f"/{kind}-intents"]

    confirmed = api.post(f"{api.post(path, body).headers['Location']}/confirm")

    assert list(confirmed.json[kind])[:2] == ["id", "name"]


@pytest.mark.contract("decided-http.location")
def test_a_token_has_no_address_and_so_no_location(api: DocumentedRest) -> None:
    created = api.post("/tokens", {"name": "Night writer"})

    assert created.status_code == 201
    assert "Location" not in created.headers


def test_every_rule_that_a_new_token_breaks_is_listed_at_once(api: DocumentedRest) -> None:
    wrong = {
        "name": " ",
        "kind": "deliver",
        "agent": "",
        "scopes": ["read", "publsh"],
        "expiresAt": "soon",
        "budget": {},
    }

    response = api.post("/tokens", wrong)

    assert response.status_code == 422
    assert [error["field"] for error in response.json["errors"]] == [
        "agent", "budget", "expiresAt", "kind", "name", "scopes[1]"
    ]  # fmt: skip
