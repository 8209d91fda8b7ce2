"""Webhooks through the management API: made, changed, tested, rotated, deleted."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from bson import ObjectId

from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.features import ALL
from tests.make import Project
from tests.rest.client import Rest
from tests.webhooks.steps import URL, a_webhook

pytestmark = pytest.mark.needs_mongod


@pytest.mark.contract("decided-webhooks.secret")
def test_the_secret_is_shown_when_the_webhook_is_made_and_never_again(rest: Rest) -> None:
    made = a_webhook(rest, events=["document.published"], description="The website")

    assert made["secret"].startswith("whsec_")
    shown = {name: value for name, value in made.items() if name != "secret"}
    assert rest.get("/webhooks").json == [shown]
    assert rest.get(f"/webhooks/{made['id']}").json == shown
    assert rest.patch(f"/webhooks/{made['id']}", {"description": "Ours"}).json.keys() == shown.keys()
    assert rest.delete(f"/webhooks/{made['id']}").json.keys() == shown.keys()


def test_a_replay_of_the_creation_leaves_the_secret_out(rest: Rest) -> None:
    first = rest.post("/webhooks", {"url": URL}, Idempotency_Key="once")
    again = rest.post("/webhooks", {"url": URL}, Idempotency_Key="once")

    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json == {name: value for name, value in first.json.items() if name != "secret"}
    assert len(rest.get("/webhooks").json) == 1


@pytest.mark.contract("decided-webhooks.url")
@pytest.mark.parametrize(
    ("fields", "status", "where"),
    [
        ({}, 400, "url"),
        ({"url": 5}, 400, "url"),
        ({"url": None}, 400, "url"),
        ({"url": "https://h/" + "a" * 2_000}, 400, "url"),
        ({"url": URL, "events": "document.created"}, 400, "events"),
        ({"url": URL, "description": "d" * 501}, 400, "description"),
        ({"url": "hooks.example.org"}, 422, "url"),
        ({"url": "ftp://hooks.example.org"}, 422, "url"),
        ({"url": "http://hooks.example.org"}, 422, "url"),
        ({"url": "https://ada:secret@hooks.example.org"}, 422, "url"),
        ({"url": "https://10.0.0.1/"}, 422, "url"),
        ({"url": "https://169.254.169.254/latest"}, 422, "url"),
        ({"url": "https://[::ffff:10.0.0.1]/"}, 422, "url"),
        ({"url": "https://" + "a" * 64 + ".example/"}, 422, "url"),
        ({"url": URL, "events": ["document.exploded"]}, 422, "events[0]"),
    ],
)
def test_a_wrong_webhook_is_refused_by_field(rest: Rest, fields: dict[str, Any], status: int, where: str) -> None:
    refused = rest.post("/webhooks", fields)

    assert refused.status_code == status
    found = refused.json["issues"] if status == 400 else refused.json["errors"]
    assert where in [one.get("path", one.get("field")) for one in found]


@pytest.mark.parametrize(
    ("sent", "end"), [("document.publish", ". Did you mean `document.published`?"), ("everything", "changed.")]
)
def test_an_unknown_type_of_event_is_refused_with_all_that_there_are(rest: Rest, sent: str, end: str) -> None:
    [wrong] = rest.post("/webhooks", {"url": URL, "events": [sent]}).json["errors"]

    assert wrong["message"].endswith(end)
    assert [one for one in ALL.event_types if one not in wrong["message"]] == []


@pytest.mark.contract("decided-webhooks.local")
def test_without_webhooks_allow_local_loopback_is_refused_by_every_name(app: Any, project: Project) -> None:
    rest = Rest(app.test_client(), project.token())

    for url in ("https://localhost/", "http://127.0.0.1/", "https://127.1/", "https://[::1]/", "https://a.localhost./"):
        assert rest.post("/webhooks", {"url": url}).status_code == 422, url


@pytest.mark.contract("decided-webhooks.cap")
@pytest.mark.race
def test_a_project_has_at_most_twenty_webhooks_also_when_all_are_made_at_once(rest: Rest) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: rest.by(rest.token).post("/webhooks", {"url": URL}).status_code, range(24)))

    assert sorted(statuses) == [201] * 20 + [422] * 4
    hooks = rest.get("/webhooks").json
    assert len(hooks) == 20
    [problem] = rest.post("/webhooks", {"url": URL}).json["errors"]
    assert (problem["field"], "20 webhooks already" in problem["message"]) == ("url", True)
    rest.delete(f"/webhooks/{hooks[0]['id']}")
    a_webhook(rest)


TOKEN = "Bearer c2VjcmV0"


@pytest.mark.contract("decided-webhooks.headers")
def test_the_values_of_headers_are_never_shown_and_stay_until_others_are_sent(
    rest: Rest, project: Project, store: Store
) -> None:
    made = a_webhook(rest, headers={"Authorization": TOKEN, "X-Site": "crust"})
    path, hidden = f"/webhooks/{made['id']}", {"Authorization": "…", "X-Site": "…"}

    def stored() -> Any:
        record = store.database.webhooks.find_one({"_id": ObjectId(made["id"])})
        assert record
        return {one["name"]: one.get("value") for one in record["headers"]}

    assert made["headers"] == hidden
    assert [one["headers"] for one in (*rest.get("/webhooks").json, rest.get(path).json)] == [hidden, hidden]
    assert rest.patch(path, {"description": "Ours"}).json["headers"] == hidden
    assert rest.post(f"{path}/rotate-secret").json["headers"] == hidden
    assert rest.patch(path, {"headers": hidden}).json["headers"] == hidden
    assert stored() == {"Authorization": TOKEN, "X-Site": "crust"}
    assert rest.patch(path, {"headers": {"authorization": "…", "X-New": "1"}}).status_code == 200
    assert stored() == {"authorization": TOKEN, "X-New": "1"}
    assert rest.delete(path).json["headers"] == {"authorization": "…", "X-New": "…"}
    assert stored() == {"authorization": None, "X-New": None}
    store[Outboxes].publish_all(project.id)
    assert TOKEN not in rest.get("/events").text
    assert a_webhook(rest)["headers"] == {}


@pytest.mark.contract("decided-webhooks.headers")
@pytest.mark.parametrize(
    ("headers", "status", "where"),
    [
        ({f"X-{number}": "1" for number in range(11)}, 400, "headers"),
        ([], 400, "headers"),
        ({"X-A": 5}, 400, "headers.X-A"),
        ({"X-A": "a" * 2_001}, 400, "headers.X-A"),
        ({"a" * 101: "1"}, 400, "headers." + "a" * 101),
        *(
            ({name: "1"}, 422, f"headers.{name}")
            for name in ("Host", "content-type", "Content-Length", "WEBHOOK-ID", "Transfer-Encoding", "X A", "X:A", "Ä")
        ),
        *(({"X-A": value}, 422, "headers.X-A") for value in ("", " a", "a\r\nX-B: 1", "ä", "a\tb", "…")),
        ({"X-A": "1", "x-a": "2"}, 422, "headers.x-a"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_headers_that_a_webhook_can_not_have_are_refused(rest: Rest, headers: Any, status: int, where: str) -> None:
    made = a_webhook(rest, headers={"X-Old": "1"})

    for refused in (
        rest.post("/webhooks", {"url": URL, "headers": headers}),
        rest.patch(f"/webhooks/{made['id']}", {"headers": headers}),
    ):
        assert refused.status_code == status, refused.json
        found = refused.json["issues"] if status == 400 else refused.json["errors"]
        assert where in [one.get("path", one.get("field")) for one in found]
    assert rest.get(f"/webhooks/{made['id']}").json["headers"] == {"X-Old": "…"}


@pytest.mark.contract("decided-webhooks.headers")
def test_headers_are_cleared_and_the_same_ones_are_no_change(rest: Rest, project: Project, store: Store) -> None:
    made = a_webhook(rest, headers={"X-A": "1"})
    path = f"/webhooks/{made['id']}"

    rest.patch(path, {"headers": {"X-A": "1"}})
    assert rest.patch(path, {"headers": {}}).json["headers"] == {}
    rest.patch(path, {"headers": {}})

    store[Outboxes].publish_all(project.id)
    types = [event["type"] for event in rest.get("/events").json["events"]]
    assert types.count("webhook.updated") == 1


def test_null_clears_the_events_and_the_description(rest: Rest) -> None:
    made = a_webhook(rest, events=["document.published"], description="The website")

    cleared = rest.patch(f"/webhooks/{made['id']}", {"events": None, "description": None}).json

    assert (cleared["events"], cleared["description"], cleared["url"]) == ([], "", URL)


@pytest.mark.contract("decided-events.one-each", "decided-events.none-for-nothing")
def test_every_change_is_an_event_and_a_change_of_nothing_is_none(rest: Rest, project: Project, store: Store) -> None:
    made = a_webhook(rest)
    rest.patch(f"/webhooks/{made['id']}", {"description": "The website"})
    rest.patch(f"/webhooks/{made['id']}", {"description": "The website"})
    rest.post(f"/webhooks/{made['id']}/rotate-secret")
    rest.delete(f"/webhooks/{made['id']}")
    store[Outboxes].publish_all(project.id)

    events = [event for event in rest.get("/events").json["events"] if event["type"].startswith("webhook.")]

    assert [event["type"] for event in events] == [
        "webhook.created",
        "webhook.updated",
        "webhook.updated",
        "webhook.deleted",
    ]
    assert all(event["data"] == {"webhookId": made["id"]} for event in events)
    assert store.database.webhooks.find_one({"_id": ObjectId(made["id"])}) is None
