"""Delivering: signed, at least once, tried again for three days, written down; one receiver never in another's way."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask
from standardwebhooks import Webhook, WebhookVerificationError

from app.core import backoff
from app.core.context import this_instant
from app.core.dispatcher import THREADS_PER_PROJECT, Dispatcher
from app.core.errors import ServiceUnavailable, WriteConflict
from app.core.message_client import MessageClient
from app.core.store.leases import StoredLease
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.webhooks.leases import Leases
from app.webhooks.sender import LEASE, WebhookSender
from app.webhooks.store import Webhooks
from tests.live import free_port, until
from tests.make import Project, a_document, a_project
from tests.rest.client import Rest
from tests.webhooks.conftest import Post
from tests.webhooks.receiver import Receiver, receiving
from tests.webhooks.test_webhooks import a_webhook

pytestmark = pytest.mark.needs_mongod


def deliveries(rest: Rest, webhook: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rest.get(f"/webhooks/{webhook['id']}/deliveries{query}").json
    return found


def verified(secret: str, request: tuple[dict[str, str], bytes]) -> Any:
    """Returns a message as the official library verifies it."""
    headers, body = request
    return Webhook(secret).verify(body.decode(), headers)


@pytest.mark.contract("decided-webhooks.standard", "decided-webhooks.libraries", "decided-webhooks.log")
def test_a_message_is_signed_as_standard_webhooks_says_and_tells_of_the_event(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    document = a_document(project.context(rest.token), title="Flour & wäter")

    assert post.deliver(project) == 1

    event = rest.get("/events").json["events"][-1]
    assert verified(webhook["secret"], receiver.requests[0]) == {
        "type": "document.created",
        "timestamp": event["at"],
        "data": {"id": event["id"], "sequence": event["sequence"], "by": event["by"], **event["data"]},
    }
    assert event["data"]["documentId"] == document["id"]
    headers = receiver.requests[0][0]
    assert headers["webhook-id"] == event["id"]
    assert headers["content-type"] == "application/json"
    [delivery] = deliveries(rest, webhook)
    assert list(delivery) == ["id", "eventId", "type", "status", "attempts", "nextAttemptAt", "createdAt"]
    assert (delivery["status"], delivery["eventId"], delivery["nextAttemptAt"]) == ("succeeded", event["id"], None)
    [attempt] = delivery["attempts"]
    assert list(attempt) == ["at", "statusCode", "error", "durationMs"]
    assert (attempt["statusCode"], attempt["error"]) == (200, None)


def test_a_forged_message_does_not_verify(rest: Rest, project: Project, post: Post, receiver: Receiver) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    post.deliver(project)
    headers, body = receiver.requests[0]

    with pytest.raises(WebhookVerificationError):
        verified(webhook["secret"], (headers, body.replace(b"created", b"deleted")))


@pytest.mark.contract("decided-webhooks.events")
def test_without_types_everything_is_sent_in_order_once(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    a_webhook(rest, url=receiver.url)
    document = a_document(project.context(rest.token))
    for path in ("brief/ready", "brief/claim", "brief/withdraw"):
        rest.post(f"/documents/{document['id']}/{path}")
    post.deliver(project)
    post.later(minutes=10).deliver(project)

    sequences = [message["data"]["sequence"] for message in receiver.messages]
    assert sequences == sorted(set(sequences))
    assert [message["type"] for message in receiver.messages] == [
        "webhook.created",
        "document.created",
        "brief.ready",
        "brief.claimed",
        "brief.withdrawn",
    ]


def test_messages_that_wait_are_sent_in_the_order_of_the_feed_also_where_a_later_event_has_an_earlier_time(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    a_webhook(rest, url=receiver.url)
    post.deliver(project)
    now = this_instant()
    for seconds in (9, 1, 5):  # a write that had to wait for MongoDB has the time at which it was asked for
        a_document(project.context(rest.token, now=now + timedelta(seconds=seconds)))
        project.store[Outboxes].publish_all(project.id)

    post.later(seconds=20).deliver(project)

    sequences = [message["data"]["sequence"] for message in receiver.messages]
    assert sequences == sorted(sequences)
    assert len(sequences) == 4


@pytest.mark.contract("decided-webhooks.at-least-once", "decided-webhooks.log")
def test_what_failed_is_tried_again_with_the_same_id_until_it_arrives(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    receiver.statuses = [500, 302, 404, 204]
    receiver.headers = {"Location": receiver.url}
    a_document(project.context(rest.token))

    for _ in range(3):
        assert post.deliver(project) == 0
        [delivery] = deliveries(rest, webhook)
        assert delivery["status"] == "pending"
        assert delivery["nextAttemptAt"] > delivery["attempts"][-1]["at"]
        post.later(hours=1)
    assert post.deliver(project) == 1

    [delivery] = deliveries(rest, webhook)
    assert delivery["status"] == "succeeded"
    assert [attempt["statusCode"] for attempt in delivery["attempts"]] == [500, 302, 404, 204]
    assert [attempt["error"] for attempt in delivery["attempts"]][:3] == [
        "The response had status 500.",
        "The response had status 302.",
        "The response had status 404.",
    ]
    assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1
    assert len({body for _, body in receiver.requests}) == 1


@pytest.mark.contract("decided-webhooks.disabled", "decided-webhooks.at-least-once")
def test_a_webhook_that_does_not_answer_for_three_days_is_disabled(rest: Rest, project: Project, post: Post) -> None:
    gone = f"http://127.0.0.1:{free_port()}/hook"
    webhook = a_webhook(rest, url=gone, events=["document.created", "webhook.disabled"])
    a_document(project.context(rest.token))
    began = this_instant()
    while rest.get(f"/webhooks/{webhook['id']}").json["enabled"]:
        post.deliver(project)
        post.later(hours=1)

    assert backoff.GIVE_UP_AFTER <= post.now - began <= backoff.GIVE_UP_AFTER * 1.05
    record = rest.get(f"/webhooks/{webhook['id']}").json
    assert record["disabledAt"] is not None
    [delivery] = deliveries(rest, webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert 10 < len(delivery["attempts"]) < 30
    project.store[Outboxes].publish_all(project.id)
    event = rest.get("/events").json["events"][-1]
    assert (event["type"], event["by"]["type"]) == ("webhook.disabled", "system")

    a_document(project.context(rest.token), title="Afterwards")
    post.deliver(project)
    assert len(deliveries(rest, webhook)) == 1


def test_a_webhook_that_is_enabled_again_is_sent_what_happens_from_then_on(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    receiver.statuses = [410]
    a_document(project.context(rest.token), title="Before")
    post.deliver(project)
    assert rest.get(f"/webhooks/{webhook['id']}").json["enabled"] is False

    receiver.statuses = [200]
    enabled = rest.patch(f"/webhooks/{webhook['id']}", {"enabled": True}).json
    assert (enabled["enabled"], enabled["disabledAt"]) == (True, None)
    a_document(project.context(rest.token), title="After")
    post.later(minutes=2).deliver(project)

    assert [message["data"]["slug"] for message in receiver.messages] == ["before", "after"]


def test_a_success_in_between_keeps_a_webhook_enabled(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    ctx = project.context(rest.token)
    for day in range(6):
        receiver.statuses = [500]
        a_document(ctx, title=f"Fails on day {day}")
        post.deliver(project)
        receiver.statuses = [200]
        post.later(days=1).deliver(project)

    assert rest.get(f"/webhooks/{webhook['id']}").json["enabled"] is True


@pytest.mark.contract("decided-webhooks.disabled")
def test_a_webhook_that_fails_after_successes_in_each_turn_stays_enabled(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    ctx = project.context(rest.token)
    for day in range(5):
        receiver.statuses = [200, 500]
        a_document(ctx, title=f"Arrives on day {day}")
        a_document(ctx, title=f"Fails on day {day}")
        assert post.later(days=1).deliver(project) == 1

    assert rest.get(f"/webhooks/{webhook['id']}").json["enabled"] is True


@pytest.mark.contract("decided-webhooks.redelivery")
def test_a_redelivery_keeps_the_id_and_is_sent_though_it_arrived(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    post.deliver(project)
    [delivery] = deliveries(rest, webhook)

    again = rest.post(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver")
    assert (again.status_code, again.json["status"]) == (200, "pending")
    post.deliver(project)

    first, second = receiver.requests
    assert first[1] == second[1]
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert [len(one["attempts"]) for one in deliveries(rest, webhook, "?status=succeeded")] == [2]
    assert rest.post(f"/webhooks/{webhook['id']}/deliveries/{webhook['id']}/redeliver").status_code == 404


@pytest.mark.contract("decided-webhooks.redelivery")
def test_a_redelivery_requested_while_the_message_is_sent_is_sent_too(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))

    def redeliver() -> None:
        receiver.on_request = lambda: None
        [delivery] = deliveries(rest, webhook)
        rest.post(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver")

    receiver.on_request = redeliver
    post.deliver(project)

    assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1
    [delivery] = deliveries(rest, webhook)
    assert [attempt["statusCode"] for attempt in delivery["attempts"]] == [200, 200]
    assert delivery["status"] == "succeeded"


@pytest.mark.contract("decided-webhooks.test")
def test_a_test_message_is_sent_whatever_events_the_webhook_selects(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["member.deleted"])

    queued = rest.post(f"/webhooks/{webhook['id']}/test")
    assert (queued.status_code, queued.json["type"], queued.json["status"]) == (201, "webhook.test", "pending")
    post.deliver(project)

    assert verified(webhook["secret"], receiver.requests[0])["data"]["webhookId"] == webhook["id"]
    assert "webhook.test" not in [event["type"] for event in rest.get("/events").json["events"]]


@pytest.mark.contract("decided-webhooks.test", "decided-webhooks.redelivery")
def test_what_can_not_be_made_due_is_not_queued(
    rest: Rest, project: Project, post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise ServiceUnavailable

    webhook = a_webhook(rest, url=receiver.url)
    rest.post(f"/webhooks/{webhook['id']}/test")
    post.deliver(project)
    before = deliveries(rest, webhook)
    monkeypatch.setattr(Leases, "wake", unreachable)

    for call in ("test", f"deliveries/{before[0]['id']}/redeliver"):
        assert rest.post(f"/webhooks/{webhook['id']}/{call}").status_code == 503

    assert deliveries(rest, webhook) == before


@pytest.mark.contract("decided-webhooks.rotation", "decided-webhooks.secret")
def test_for_a_day_after_a_rotation_both_secrets_verify(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    fresh = rest.post(f"/webhooks/{webhook['id']}/rotate-secret").json["secret"]
    assert fresh != webhook["secret"]
    a_document(project.context(rest.token), title="Within the day")
    post.deliver(project)

    for secret in (webhook["secret"], fresh):
        verified(secret, receiver.requests[0])

    [delivery] = deliveries(rest, webhook)
    rest.post(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver")
    post.later(hours=25).deliver(project)
    signatures = receiver.requests[1][0]["webhook-signature"].split()
    assert [len(receiver.requests[0][0]["webhook-signature"].split()), len(signatures)] == [2, 1]


def test_messages_are_signed_with_the_newest_ten_secrets_however_often_they_are_rotated(
    rest: Rest, post: Post, project: Project, receiver: Receiver
) -> None:
    """Receivers refuse long headers: common servers read 8 KB of them."""
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    secrets = [rest.post(f"/webhooks/{webhook['id']}/rotate-secret").json["secret"] for _ in range(12)]
    rest.post(f"/webhooks/{webhook['id']}/test")
    post.deliver(project)

    [request] = receiver.requests
    assert len(request[0]["webhook-signature"].split()) == 10
    for secret in secrets[-10:]:
        verified(secret, request)


def test_a_deleted_webhook_is_sent_nothing_more(rest: Rest, project: Project, post: Post, receiver: Receiver) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    project.store[Outboxes].publish_all(project.id)
    rest.delete(f"/webhooks/{webhook['id']}")

    assert post.deliver(project) == 0
    assert receiver.requests == []


def test_a_webhook_that_is_deleted_while_it_is_served_is_served_no_more(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    store[Outboxes].publish_all(project.id)
    lease = post.take()
    receiver.statuses = [500]
    receiver.may_answer.clear()

    with ThreadPoolExecutor(1) as pool:
        served = pool.submit(post.sender.send_due, lease)
        receiver.arrived.acquire(timeout=10)
        rest.delete(f"/webhooks/{webhook['id']}")
        receiver.may_answer.set()
        assert served.result() == 0

    assert post.later(days=1).deliver(project) == 0
    assert len(receiver.requests) == 1


def test_a_webhook_that_is_disabled_while_it_is_served_is_sent_nothing_more(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    for number in range(3):
        a_document(project.context(rest.token), title=f"Document {number}")
    store[Outboxes].publish_all(project.id)
    lease = post.take()
    receiver.may_answer.clear()

    with ThreadPoolExecutor(1) as pool:
        turn = pool.submit(post.sender.send_due, lease)
        receiver.arrived.acquire(timeout=10)
        rest.patch(f"/webhooks/{webhook['id']}", {"enabled": False})
        receiver.may_answer.set()
        assert turn.result() == 1

    assert post.later(days=1).deliver(project) == 0
    assert len(receiver.requests) == 1
    assert sorted(row["status"] for row in deliveries(rest, webhook)) == ["failed", "failed", "succeeded"]


def test_a_redelivery_requested_while_the_receiver_answers_410_is_tried_once_and_the_rest_given_up(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token), title="Arrives")
    post.deliver(project)
    [arrived] = deliveries(rest, webhook)
    for title in ("Ends it", "Waits"):
        a_document(project.context(rest.token), title=title)
    receiver.statuses = [410]

    def redeliver() -> None:
        receiver.on_request = lambda: None
        rest.post(f"/webhooks/{webhook['id']}/deliveries/{arrived['id']}/redeliver")

    receiver.on_request = redeliver
    post.deliver(project)
    post.later(minutes=2).deliver(project)
    post.later(days=1).deliver(project)

    assert rest.get(f"/webhooks/{webhook['id']}").json["enabled"] is False
    assert [message["data"]["slug"] for message in receiver.messages] == ["arrives", "ends-it", "arrives"]
    rows = deliveries(rest, webhook)
    assert [[attempt["statusCode"] for attempt in row["attempts"]] for row in rows] == [[], [410], [200, 410]]
    assert {(row["status"], row["nextAttemptAt"]) for row in rows} == {("failed", None)}


def test_a_webhook_that_is_enabled_again_while_it_answers_410_does_not_wait_for_the_end_of_its_lease(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    receiver.statuses = [410]
    a_document(project.context(rest.token))

    def disable(*_: object) -> None:
        raise WriteConflict  # it was not enabled, and is again

    with monkeypatch.context() as patch:
        patch.setattr(store[Webhooks], "update", disable)
        post.deliver(project)
    assert rest.get(f"/webhooks/{webhook['id']}").json["enabled"] is True
    post.later(seconds=10).deliver(project)

    assert len(receiver.requests) == 2
    assert rest.get(f"/webhooks/{webhook['id']}").json["enabled"] is False


def test_a_test_that_is_answered_with_410_is_not_sent_again(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    receiver.statuses = [410]
    rest.post(f"/webhooks/{webhook['id']}/test")

    post.later(seconds=1).deliver(project)
    post.later(days=1).deliver(project)

    [delivery] = deliveries(rest, webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("failed", 1)


def test_what_is_queued_at_the_instant_at_which_a_webhook_is_disabled_is_not_sent(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    read_before = store[Webhooks].listening(project.id)
    rest.patch(f"/webhooks/{webhook['id']}", {"enabled": False})
    with monkeypatch.context() as patch:
        patch.setattr(store[Webhooks], "listening", lambda _: read_before)
        store[Outboxes].publish_all(project.id)
    assert [row["status"] for row in deliveries(rest, webhook)] == ["pending"]

    assert post.later(seconds=1).deliver(project) == 0

    assert receiver.requests == []
    [delivery] = deliveries(rest, webhook)
    assert (delivery["status"], delivery["attempts"], delivery["nextAttemptAt"]) == ("failed", [], None)


def test_tests_and_redeliveries_are_sent_to_a_disabled_webhook(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    post.deliver(project)
    [delivery] = deliveries(rest, webhook)
    rest.patch(f"/webhooks/{webhook['id']}", {"enabled": False})

    rest.post(f"/webhooks/{webhook['id']}/test")
    rest.post(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver")
    post.later(seconds=1).deliver(project)

    types = [message["type"] for message in receiver.messages]
    assert sorted(types) == ["document.created", "document.created", "webhook.test"]


def test_tests_that_wait_when_a_webhook_is_disabled_are_not_sent_in_a_turn_that_has_begun(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    for _ in range(3):
        rest.post(f"/webhooks/{webhook['id']}/test")

    def disable_and_redeliver() -> None:
        receiver.on_request = lambda: None
        rest.patch(f"/webhooks/{webhook['id']}", {"enabled": False})
        rest.post(f"/webhooks/{webhook['id']}/deliveries/{last['id']}/redeliver")

    last = deliveries(rest, webhook)[0]
    receiver.on_request = disable_and_redeliver
    post.deliver(project)
    post.later(seconds=1).deliver(project)

    sent = [headers["webhook-id"] for headers, _ in receiver.requests]
    rows = deliveries(rest, webhook)
    assert sent == [rows[2]["eventId"], rows[0]["eventId"]]
    assert [row["status"] for row in rows] == ["succeeded", "failed", "succeeded"]


@pytest.mark.contract("decided-webhooks.at-least-once")
def test_after_a_failure_new_events_wait_and_a_test_is_sent_at_once(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    receiver.statuses = [500]
    for number in range(7):  # so that it rests for a minute
        a_document(project.context(rest.token), title=f"Document {number}")
        post.later(minutes=2).deliver(project)
    failed = len(receiver.requests)

    a_document(project.context(rest.token), title="One more")
    post.later(seconds=10).deliver(project)
    assert len(receiver.requests) == failed
    rest.post(f"/webhooks/{webhook['id']}/test")
    post.deliver(project)
    assert len(receiver.requests) > failed


def test_a_test_requested_during_an_attempt_that_fails_is_sent_at_once(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    receiver.statuses = [500, 200]

    def test() -> None:
        receiver.on_request = lambda: None
        rest.post(f"/webhooks/{webhook['id']}/test")

    receiver.on_request = test
    post.deliver(project)

    assert [message["type"] for message in receiver.messages] == ["document.created", "webhook.test"]


def test_an_event_during_an_attempt_that_fails_waits_for_the_end_of_the_pause(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    receiver.statuses = [500, 200]

    def happen() -> None:
        receiver.on_request = lambda: None
        a_document(project.context(rest.token), title="Another")
        project.store[Outboxes].publish_all(project.id)

    receiver.on_request = happen
    post.deliver(project)

    assert len(receiver.requests) == 1
    assert post.later(minutes=2).deliver(project) == 2


def test_no_attempt_begins_that_could_outlive_its_lease(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    for number in range(4):
        a_document(project.context(rest.token), title=f"Document {number}")
    store[Outboxes].publish_all(project.id)
    lease = post.take()
    receiver.on_request = lambda: post.later(seconds=LEASE.total_seconds() / 4)

    assert post.sender.send_due(lease) == 3
    assert post.now < lease["leasedUntil"]
    assert post.deliver(project) == 1
    assert [message["data"]["slug"] for message in receiver.messages] == [f"document-{number}" for number in range(4)]


def test_a_worker_that_stops_finishes_the_attempt_and_leaves_the_rest_to_others(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    for number in range(3):
        a_document(project.context(rest.token), title=f"Document {number}")
    store[Outboxes].publish_all(project.id)
    sender = WebhookSender(store, MessageClient(allow_local=True))
    dispatcher = Dispatcher(store, sender, "send webhooks")
    receiver.on_request = lambda: until(sender.stopping.is_set)

    until(dispatcher.dispatch)
    receiver.arrived.acquire(timeout=10)
    dispatcher.close()

    assert len(receiver.requests) == 1
    assert post.deliver(project) == 2


def test_a_worker_that_has_stopped_leaves_webhooks_to_others(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    store[Outboxes].publish_all(project.id)
    dispatcher = Dispatcher(store, WebhookSender(store, MessageClient(allow_local=True)), "send webhooks")
    dispatcher.close()

    assert dispatcher.dispatch() is False
    assert post.deliver(project) == 1


@pytest.mark.race
def test_a_worker_that_stops_while_it_leases_a_webhook_gives_it_back_and_leases_no_other(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(6):
        a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    store[Outboxes].publish_all(project.id)
    sender = WebhookSender(store, MessageClient(allow_local=True))
    dispatcher = Dispatcher(store, sender, "send webhooks")
    closing = threading.Thread(target=dispatcher.close)
    take, taken = Leases.take, []

    def take_while_it_stops(leases: Leases, *times: datetime, slow: bool, exclude: list[str]) -> StoredLease | None:
        if slow and not closing.ident:
            closing.start()
            until(sender.stopping.is_set)
        lease = take(leases, *times, slow=slow, exclude=exclude)
        taken.append(lease)
        assert len(taken) < 20, "it leases them again and again"
        return lease

    with monkeypatch.context() as patch:
        patch.setattr(Leases, "take", take_while_it_stops)
        dispatcher.dispatch()
        closing.join()

    assert len([lease for lease in taken if lease]) == 1
    assert receiver.requests == []
    assert post.deliver(project) == 6


@pytest.mark.race
def test_a_webhook_whose_turn_has_not_begun_when_the_worker_stops_is_given_back(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    store[Outboxes].publish_all(project.id)
    sender, may_begin = WebhookSender(store, MessageClient(allow_local=True)), threading.Event()
    dispatcher = Dispatcher(store, sender, "send webhooks", threads=1)
    pool = dispatcher._pools[True]
    pool._executor.submit(may_begin.wait)  # as long as its thread has not taken the turn

    assert dispatcher.dispatch()
    closing = threading.Thread(target=dispatcher.close)
    closing.start()
    until(pool._closed.is_set)
    may_begin.set()
    closing.join()

    assert receiver.requests == []
    assert post.deliver(project) == 1


@pytest.mark.race
def test_several_workers_send_each_message_once_and_one_webhook_at_a_time(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    for number in range(12):
        a_document(project.context(rest.token), title=f"Document {number}")
    store[Outboxes].publish_all(project.id)

    def work(_: int) -> None:
        dispatcher = Dispatcher(
            store, WebhookSender(store, MessageClient(allow_local=True)), "send webhooks", threads=2
        )
        until(lambda: not dispatcher.dispatch() and len(receiver.requests) >= 12)
        dispatcher.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))

    assert [message["data"]["slug"] for message in receiver.messages] == [f"document-{number}" for number in range(12)]


@pytest.mark.contract("decided-webhooks.slow")
@pytest.mark.race
def test_a_slow_receiver_never_delays_anothers(rest: Rest, project: Project, store: Store, post: Post) -> None:
    with receiving() as quick:
        slow = [receiving() for _ in range(3)]
        receivers = [one.__enter__() for one in slow]
        try:
            for receiver in receivers:
                receiver.may_answer.clear()
                a_webhook(rest, url=receiver.url, events=["document.created"])
            a_webhook(rest, url=quick.url, events=["document.created"])
            dispatcher = Dispatcher(
                store, WebhookSender(store, MessageClient(allow_local=True)), "send webhooks", threads=4
            )
            for number in range(3):
                a_document(project.context(rest.token), title=f"Document {number}")
                store[Outboxes].publish_all(project.id)
                while not quick.arrived.acquire(blocking=False):
                    dispatcher.dispatch()

            assert [len(receiver.requests) for receiver in receivers] == [1, 1, 1]
        finally:
            for one in slow:
                one.__exit__(None, None, None)
        dispatcher.close()


@pytest.mark.contract("decided-webhooks.slow")
@pytest.mark.race
def test_a_projects_webhooks_that_stop_responding_leave_threads_to_other_projects(
    rest: Rest, project: Project, local_app: Flask, store: Store, post: Post
) -> None:
    other = a_project(store)
    theirs = Rest(local_app.test_client(), other.token())
    with receiving() as stopping, receiving() as quick:
        for _ in range(THREADS_PER_PROJECT + 2):
            a_webhook(rest, url=stopping.url, events=["document.created"])
        a_webhook(theirs, url=quick.url, events=["document.created"])
        for one, ctx in ((project, project.context(rest.token)), (other, other.context(theirs.token))):
            a_document(ctx)
            post.deliver(one)  # now all of them count as quick
        stopping.may_answer.clear()
        sender = WebhookSender(store, MessageClient(allow_local=True))
        dispatcher = Dispatcher(store, sender, "send webhooks", threads=THREADS_PER_PROJECT + 1)
        try:
            before = len(quick.requests)
            for one, ctx in ((project, project.context(rest.token)), (other, other.context(theirs.token))):
                a_document(ctx, title="Another")
                store[Outboxes].publish_all(one.id)
                dispatcher.dispatch()
            until(lambda: len(quick.requests) == before + 1)
        finally:
            stopping.may_answer.set()
            dispatcher.close()


def test_a_new_webhook_counts_as_slow_until_its_receiver_responded_quickly(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    webhook = a_webhook(rest, url=receiver.url, events=["document.created"])

    def lanes() -> list[bool]:
        return [row["slow"] for row in store.database.leases.find({"_id": ObjectId(webhook["id"])})]

    a_document(project.context(rest.token))
    store[Outboxes].publish_all(project.id)
    assert lanes() == [True]
    post.deliver(project)
    assert lanes() == [False]
    rest.patch(f"/webhooks/{webhook['id']}", {"url": receiver.url + "/elsewhere"})
    assert lanes() == [True]


def test_a_receiver_that_was_slow_is_served_by_threads_of_its_own(
    rest: Rest, project: Project, post: Post, store: Store
) -> None:
    a_webhook(rest, url=f"http://127.0.0.1:{free_port()}/hook", events=["document.created"])
    a_document(project.context(rest.token))
    post.deliver(project)
    post.later(minutes=10)

    assert store[Leases].take(post.now, post.now, slow=False) is None
    assert store[Leases].take(post.now, post.now, slow=True) is not None


def test_a_worker_that_died_loses_its_lease_and_another_delivers(
    rest: Rest, project: Project, post: Post, receiver: Receiver, store: Store
) -> None:
    a_webhook(rest, url=receiver.url, events=["document.created"])
    a_document(project.context(rest.token))
    store[Outboxes].publish_all(project.id)
    now = this_instant() + timedelta(seconds=1)
    assert store[Leases].take(now, now + timedelta(days=365), slow=True)

    assert post.deliver(project) == 0
    assert post.later(days=400).deliver(project) == 1


@pytest.mark.parametrize("failures", range(1, 20))
def test_a_delay_grows_with_the_failures_and_jitters_by_a_fifth(failures: int) -> None:
    now = this_instant()
    earliest, latest = (backoff.next_attempt(failures, now, now, chance) for chance in (0.0, 1.0))

    assert earliest is not None
    assert latest is not None
    delay = backoff.DELAYS[min(failures, len(backoff.DELAYS)) - 1]
    assert (earliest - now, latest - now) == (delay * 0.8, delay * 1.2)


def test_the_last_attempt_is_made_when_three_days_are_over() -> None:
    since = this_instant()
    end = since + backoff.GIVE_UP_AFTER

    assert backoff.next_attempt(15, since, end - backoff.LONGEST_REST, 1.0) == end
    assert backoff.next_attempt(16, since, end, 0.0) is None
