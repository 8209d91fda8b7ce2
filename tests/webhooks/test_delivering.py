"""Delivering: signed, at least once, tried again for three days, written down; one receiver never in another's way."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask
from prometheus_client import REGISTRY
from standardwebhooks import Webhook, WebhookVerificationError

from app.core.context import this_instant
from app.core.errors import ServiceUnavailable, WriteConflict
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.outbound import message_client
from app.outbound.dispatcher import THREADS_PER_PROJECT
from app.outbound.leases import StoredLease
from app.webhooks.jobs import count_failing
from app.webhooks.sender import LEASE
from app.webhooks.store import Leases, Webhooks
from tests.documented import validators_of
from tests.live import free_port, until
from tests.make import Project, a_document, a_project
from tests.rest.client import Rest
from tests.webhooks.conftest import Hook, Post, a_dispatcher
from tests.webhooks.receiver import Receiver, receiving
from tests.webhooks.steps import a_webhook

pytestmark = pytest.mark.needs_mongod


def verified(secret: str, request: tuple[dict[str, str], bytes]) -> Any:
    """Returns a message as the official library verifies it."""
    headers, body = request
    return Webhook(secret).verify(body.decode(), headers)


def signatures(request: tuple[dict[str, str], bytes]) -> int:
    return len(request[0]["webhook-signature"].split())


@pytest.mark.contract("decided-webhooks.standard", "decided-webhooks.libraries", "decided-webhooks.log")
def test_a_message_is_signed_as_standard_webhooks_says_and_tells_of_the_event(hook: Hook) -> None:
    hook.create("Flour & wäter")

    assert hook.deliver() == 1

    event = hook.rest.get("/events").json["events"][-1]
    [(headers, body)] = hook.receiver.requests
    assert verified(hook.secret, (headers, body)) == {
        "type": "document.created",
        "timestamp": event["at"],
        "data": {"id": event["id"], "sequence": event["sequence"], "by": event["by"], **event["data"]},
    }
    with pytest.raises(WebhookVerificationError):
        verified(hook.secret, (headers, body.replace(b"created", b"deleted")))
    assert (headers["webhook-id"], headers["content-type"]) == (event["id"], "application/json")
    [delivery] = hook.deliveries()
    assert list(delivery) == ["id", "eventId", "type", "status", "attempts", "nextAttemptAt", "createdAt"]
    assert (delivery["status"], delivery["eventId"], delivery["nextAttemptAt"]) == ("succeeded", event["id"], None)
    [attempt] = delivery["attempts"]
    assert list(attempt) == ["at", "statusCode", "error", "durationMs"]
    assert (attempt["statusCode"], attempt["error"]) == (200, None)


@pytest.mark.contract("decided-webhooks.headers")
def test_headers_of_a_webhook_are_sent_along(rest: Rest, project: Project, post: Post, receiver: Receiver) -> None:
    hook = Hook(
        rest,
        project,
        post,
        receiver,
        events=["document.created"],
        headers={"Authorization": "Bearer a b", "user-agent": "Crust"},
    )
    hook.send_test()

    assert hook.deliver() == 1
    [(headers, _)] = receiver.requests
    assert (headers["authorization"], headers["user-agent"]) == ("Bearer a b", "Crust")
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"]


@pytest.mark.contract("decided-webhooks.events")
def test_without_types_everything_is_sent_in_order_once(
    rest: Rest, project: Project, post: Post, receiver: Receiver
) -> None:
    hook = Hook(rest, project, post, receiver)
    document = a_document(project.context(rest.token))
    for path in ("brief/ready", "brief/claim", "brief/withdraw"):
        rest.post(f"/documents/{document['id']}/{path}")
    hook.deliver()
    hook.deliver(minutes=10)

    sequences = [message["data"]["sequence"] for message in receiver.messages]
    assert sequences == sorted(set(sequences))
    assert hook.types == ["webhook.created", "document.created", "brief.ready", "brief.claimed", "brief.withdrawn"]


def test_messages_that_wait_are_sent_in_the_order_of_the_feed_also_where_a_later_event_has_an_earlier_time(
    hook: Hook,
) -> None:
    now = this_instant()
    for seconds in (9, 1, 5):  # a write that had to wait for MongoDB has the time at which it was asked for
        a_document(hook.project.context(hook.rest.token, now=now + timedelta(seconds=seconds)))
        hook.store[Outboxes].publish_all(hook.project.id)

    assert hook.deliver(seconds=20) == 3

    sequences = [message["data"]["sequence"] for message in hook.receiver.messages]
    assert sequences == sorted(sequences)


@pytest.mark.contract("decided-webhooks.at-least-once", "decided-webhooks.log")
def test_what_failed_is_tried_again_with_the_same_id_until_it_arrives(hook: Hook) -> None:
    hook.receiver.statuses = [500, 302, 404, 204]
    hook.receiver.headers = {"Location": hook.receiver.url}
    hook.create()

    for _ in range(3):
        assert hook.deliver() == 0
        [delivery] = hook.deliveries()
        assert delivery["status"] == "pending"
        assert delivery["nextAttemptAt"] > delivery["attempts"][-1]["at"]
        hook.post.later(hours=1)
    assert hook.deliver() == 1

    [delivery] = hook.deliveries()
    assert delivery["status"] == "succeeded"
    assert [(attempt["statusCode"], attempt["error"]) for attempt in delivery["attempts"]] == [
        *((status, f"The response had status {status}.") for status in (500, 302, 404)),
        (204, None),
    ]
    assert len({headers["webhook-id"] for headers, _ in hook.receiver.requests}) == 1
    assert len({body for _, body in hook.receiver.requests}) == 1


def test_a_webhook_shows_since_when_it_fails_and_the_metric_how_many_messages_wait(hook: Hook) -> None:
    def waiting() -> float:
        count_failing(hook.store)
        return REGISTRY.get_sample_value("content_workflow_webhook_messages_waiting") or 0

    others, before = waiting(), hook.rest.get(hook.path)
    hook.receiver.statuses = [500, 204, 204]
    hook.create("First", "Second")
    hook.deliver()
    [first] = [one for one in hook.deliveries() if one["attempts"]]
    failing, left = hook.rest.get(hook.path, If_None_Match=before.headers["ETag"]), waiting() - others

    assert (before.json["failingSince"], left) == (None, 2)
    assert failing.json["failingSince"] == first["attempts"][0]["at"]
    assert hook.rest.get("/webhooks").json == [failing.json]
    assert hook.rest.patch(hook.path, {"description": "Mine"}, If_Match=failing.headers["ETag"]).status_code == 200
    hook.deliver(hours=1)
    assert (hook.rest.get(hook.path).json["failingSince"], waiting() - others) == (None, 0)


@pytest.mark.contract("decided-webhooks.disabled", "decided-webhooks.at-least-once")
def test_a_webhook_that_does_not_answer_for_three_days_is_disabled(
    hook: Hook, logged: pytest.LogCaptureFixture
) -> None:
    hook.rest.patch(
        hook.path,
        {"url": f"http://127.0.0.1:{free_port()}/hook", "events": ["document.created", "webhook.disabled"]},
    )
    hook.create()
    began = this_instant()
    while hook.is_enabled:
        hook.deliver()
        hook.post.later(hours=1)

    assert message_client.GIVE_UP_AFTER <= hook.post.now - began <= message_client.GIVE_UP_AFTER * 1.05
    assert hook.rest.get(hook.path).json["disabledAt"] is not None
    [delivery] = hook.deliveries()
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert 10 < len(delivery["attempts"]) < 30
    hook.store[Outboxes].publish_all(hook.project.id)
    event = hook.rest.get("/events").json["events"][-1]
    assert (event["type"], event["by"]["type"]) == ("webhook.disabled", "system")
    because = delivery["attempts"][-1]["error"]
    assert event["data"] == {"webhookId": hook.id, "reason": because}
    assert hook.rest.get(hook.path).json["disabledBecause"] == because
    warned = {(line["msg"], line["reason"]) for line in map(vars, logged.records)}
    assert warned == {("webhook disabled", because)}

    hook.create("Afterwards")
    hook.deliver()
    assert len(hook.deliveries()) == 1


def test_a_webhook_that_is_enabled_again_is_sent_what_happens_from_then_on(hook: Hook) -> None:
    hook.receiver.statuses = [410]
    hook.create("Before")
    hook.deliver()
    assert not hook.is_enabled

    hook.receiver.statuses = [200]
    enabled = hook.enable(True)
    assert (enabled["enabled"], enabled["disabledAt"], enabled["disabledBecause"]) == (True, None, None)
    hook.create("After")
    hook.deliver(minutes=2)

    assert hook.slugs == ["before", "after"]


def test_the_metric_counts_enabled_webhooks_that_fail_until_they_succeed(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.webhooks.jobs.FAILING_FOR", timedelta(minutes=-1))

    def failing() -> float:
        count_failing(hook.store)
        return REGISTRY.get_sample_value("content_workflow_webhooks_failing") or 0

    others = failing()
    hook.receiver.statuses = [500, 204]
    hook.create()
    hook.deliver()
    failed = failing() - others
    hook.enable(False)
    disabled = failing() - others
    hook.enable(True)
    hook.create("After")
    hook.deliver(hours=2)

    assert (failed, disabled, failing() - others) == (1, 0, 0)


def test_the_metric_counts_webhooks_that_were_disabled_as_they_failed_until_they_are_enabled(hook: Hook) -> None:
    def disabled() -> float:
        count_failing(hook.store)
        return REGISTRY.get_sample_value("content_workflow_webhooks_disabled") or 0

    others = disabled()
    hook.enable(False)
    by_hand = disabled() - others
    hook.enable(True)
    hook.receiver.statuses = [410]
    hook.create()
    hook.deliver()
    given_up = disabled() - others
    hook.enable(True)

    assert (by_hand, given_up, disabled() - others) == (0, 1, 0)


def test_a_success_in_between_keeps_a_webhook_enabled(hook: Hook) -> None:
    for day in range(6):
        hook.receiver.statuses = [500]
        hook.create(f"Fails on day {day}")
        hook.deliver()
        hook.receiver.statuses = [200]
        hook.deliver(days=1)

    assert hook.is_enabled


@pytest.mark.contract("decided-webhooks.disabled")
def test_a_webhook_that_fails_after_successes_in_each_turn_stays_enabled(hook: Hook) -> None:
    for day in range(5):
        hook.receiver.statuses = [200, 500]
        hook.create(f"Arrives on day {day}", f"Fails on day {day}")
        assert hook.deliver(days=1) == 1

    assert hook.is_enabled


@pytest.mark.contract("decided-webhooks.redelivery")
def test_a_redelivery_keeps_the_id_and_is_sent_though_it_arrived(hook: Hook) -> None:
    hook.create()
    hook.deliver()
    [delivery] = hook.deliveries()

    again = hook.redeliver(delivery)
    assert (again.status_code, again.json["status"]) == (200, "pending")
    hook.deliver()

    first, second = hook.receiver.requests
    assert first[1] == second[1]
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert [len(one["attempts"]) for one in hook.deliveries("?status=succeeded")] == [2]
    assert hook.redeliver({"id": hook.id}).status_code == 404


@pytest.mark.contract("decided-webhooks.redelivery")
def test_a_redelivery_requested_while_the_message_is_sent_is_sent_too(hook: Hook) -> None:
    hook.create()
    hook.meanwhile(lambda: hook.redeliver(hook.deliveries()[0]))

    hook.deliver()

    assert len({headers["webhook-id"] for headers, _ in hook.receiver.requests}) == 1
    [delivery] = hook.deliveries()
    assert [attempt["statusCode"] for attempt in delivery["attempts"]] == [200, 200]
    assert delivery["status"] == "succeeded"


@pytest.mark.contract("decided-webhooks.test")
def test_a_test_message_is_sent_whatever_events_the_webhook_selects(hook: Hook) -> None:
    hook.rest.patch(hook.path, {"events": ["member.deleted"]})

    queued = hook.send_test()
    assert (queued.status_code, queued.json["type"], queued.json["status"]) == (201, "webhook.test", "pending")
    hook.deliver()

    assert verified(hook.secret, hook.receiver.requests[0])["data"]["webhookId"] == hook.id
    assert "webhook.test" not in [event["type"] for event in hook.rest.get("/events").json["events"]]


@pytest.mark.contract("decided-webhooks.test", "decided-webhooks.redelivery")
def test_what_can_not_be_made_due_is_not_queued(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise ServiceUnavailable

    hook.send_test()
    hook.deliver()
    before = hook.deliveries()
    monkeypatch.setattr(Leases, "wake", unreachable)

    assert [hook.send_test().status_code, hook.redeliver(before[0]).status_code] == [503, 503]
    assert hook.deliveries() == before


@pytest.mark.contract("decided-webhooks.rotation", "decided-webhooks.secret")
def test_for_a_day_after_a_rotation_both_secrets_verify(hook: Hook) -> None:
    fresh = hook.rest.post(f"{hook.path}/rotate-secret").json["secret"]
    assert fresh != hook.secret
    hook.create()
    hook.deliver()

    for secret in (hook.secret, fresh):
        verified(secret, hook.receiver.requests[0])

    hook.redeliver(hook.deliveries()[0])
    hook.deliver(hours=25)
    assert list(map(signatures, hook.receiver.requests)) == [2, 1]


def test_messages_are_signed_with_the_newest_ten_secrets_however_often_they_are_rotated(hook: Hook) -> None:
    """Receivers refuse long headers: common servers read 8 KB of them."""
    secrets = [hook.rest.post(f"{hook.path}/rotate-secret").json["secret"] for _ in range(12)]
    hook.send_test()
    hook.deliver()

    [request] = hook.receiver.requests
    assert signatures(request) == 10
    for secret in secrets[-10:]:
        verified(secret, request)


def test_a_deleted_webhook_is_sent_nothing_more(hook: Hook) -> None:
    hook.queue()
    hook.rest.delete(hook.path)

    assert hook.deliver() == 0
    assert hook.receiver.requests == []


def test_a_webhook_that_is_deleted_while_it_is_served_is_served_no_more(hook: Hook) -> None:
    hook.queue()
    hook.receiver.statuses = [500]

    assert hook.serve_during(lambda: hook.rest.delete(hook.path)) == 0

    assert hook.deliver(days=1) == 0
    assert len(hook.receiver.requests) == 1


def test_a_webhook_that_is_disabled_while_it_is_served_is_sent_nothing_more(hook: Hook) -> None:
    hook.queue(number=3)

    assert hook.serve_during(lambda: hook.enable(False)) == 1

    assert hook.deliver(days=1) == 0
    assert len(hook.receiver.requests) == 1
    assert sorted(row["status"] for row in hook.deliveries()) == ["failed", "failed", "succeeded"]


def test_a_redelivery_requested_while_the_receiver_answers_410_is_tried_once_and_the_rest_given_up(hook: Hook) -> None:
    hook.create("Arrives")
    hook.deliver()
    [arrived] = hook.deliveries()
    hook.create("Ends it", "Waits")
    hook.receiver.statuses = [410]
    hook.meanwhile(lambda: hook.redeliver(arrived))

    hook.deliver()
    hook.deliver(minutes=2)
    hook.deliver(days=1)

    assert not hook.is_enabled
    assert hook.slugs == ["arrives", "ends-it", "arrives"]
    rows = hook.deliveries()
    assert [[attempt["statusCode"] for attempt in row["attempts"]] for row in rows] == [[], [410], [200, 410]]
    assert {(row["status"], row["nextAttemptAt"]) for row in rows} == {("failed", None)}


def test_a_webhook_that_is_enabled_again_while_it_answers_410_does_not_wait_for_the_end_of_its_lease(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def disable(*_: object) -> None:
        raise WriteConflict  # it was not enabled, and is again

    hook.receiver.statuses = [410]
    hook.create()
    with monkeypatch.context() as patch:
        patch.setattr(hook.store[Webhooks], "update", disable)
        hook.deliver()
    assert hook.is_enabled
    hook.deliver(seconds=10)

    assert len(hook.receiver.requests) == 2
    assert not hook.is_enabled


def test_a_test_that_is_answered_with_410_is_not_sent_again(hook: Hook) -> None:
    hook.receiver.statuses = [410]
    hook.send_test()

    hook.deliver(seconds=1)
    hook.deliver(days=1)

    [delivery] = hook.deliveries()
    assert (delivery["status"], len(delivery["attempts"])) == ("failed", 1)


def test_what_is_queued_at_the_instant_at_which_a_webhook_is_disabled_is_not_sent(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook.create()
    read_before = hook.store[Webhooks].listening(hook.project.id)
    hook.enable(False)
    with monkeypatch.context() as patch:
        patch.setattr(hook.store[Webhooks], "listening", lambda _: read_before)
        hook.store[Outboxes].publish_all(hook.project.id)
    assert [row["status"] for row in hook.deliveries()] == ["pending"]

    assert hook.deliver(seconds=1) == 0

    assert hook.receiver.requests == []
    [delivery] = hook.deliveries()
    assert (delivery["status"], delivery["attempts"], delivery["nextAttemptAt"]) == ("failed", [], None)


def test_tests_and_redeliveries_are_sent_to_a_disabled_webhook(hook: Hook) -> None:
    hook.create()
    hook.deliver()
    [delivery] = hook.deliveries()
    hook.enable(False)

    hook.send_test()
    hook.redeliver(delivery)
    hook.deliver(seconds=1)

    assert sorted(hook.types) == ["document.created", "document.created", "webhook.test"]


def test_tests_that_wait_when_a_webhook_is_disabled_are_not_sent_in_a_turn_that_has_begun(hook: Hook) -> None:
    for _ in range(3):
        hook.send_test()
    last = hook.deliveries()[0]

    hook.meanwhile(lambda: (hook.enable(False), hook.redeliver(last)))
    hook.deliver()
    hook.deliver(seconds=1)

    sent = [headers["webhook-id"] for headers, _ in hook.receiver.requests]
    rows = hook.deliveries()
    assert sent == [rows[2]["eventId"], rows[0]["eventId"]]
    assert [row["status"] for row in rows] == ["succeeded", "failed", "succeeded"]


@pytest.mark.contract("decided-webhooks.at-least-once")
def test_after_a_failure_new_events_wait_and_a_test_is_sent_at_once(hook: Hook) -> None:
    hook.receiver.statuses = [500]
    for number in range(7):  # so that it rests for a minute
        hook.create(f"Document {number}")
        hook.deliver(minutes=2)
    failed = len(hook.receiver.requests)

    hook.create("One more")
    hook.deliver(seconds=10)
    assert len(hook.receiver.requests) == failed
    hook.send_test()
    hook.deliver()
    assert len(hook.receiver.requests) > failed


def test_a_test_requested_during_an_attempt_that_fails_is_sent_at_once(hook: Hook) -> None:
    hook.create()
    hook.receiver.statuses = [500, 200]
    hook.meanwhile(hook.send_test)

    hook.deliver()

    assert hook.types == ["document.created", "webhook.test"]


def test_an_event_during_an_attempt_that_fails_waits_for_the_end_of_the_pause(hook: Hook) -> None:
    hook.create()
    hook.receiver.statuses = [500, 200]
    hook.meanwhile(lambda: hook.queue("Another"))

    hook.deliver()

    assert len(hook.receiver.requests) == 1
    assert hook.deliver(minutes=2) == 2


def test_no_attempt_begins_that_could_outlive_its_lease(hook: Hook) -> None:
    hook.queue(number=4)
    lease = hook.post.take()
    hook.receiver.on_request = lambda: hook.post.later(seconds=LEASE.total_seconds() / 4)

    assert hook.post.sender.send_due(lease) == 3
    assert hook.post.now < lease["leasedUntil"]
    assert hook.deliver() == 1
    assert hook.slugs == [f"document-{number}" for number in range(4)]


def test_a_worker_that_stops_finishes_the_attempt_and_leaves_the_rest_to_others(hook: Hook) -> None:
    hook.queue(number=3)
    dispatcher = a_dispatcher(hook.store)
    hook.receiver.on_request = lambda: until(dispatcher._sender.stopping.is_set)

    until(dispatcher.dispatch)
    hook.receiver.arrived.acquire(timeout=60)
    dispatcher.close()

    assert len(hook.receiver.requests) == 1
    assert hook.deliver() == 2


def test_a_worker_that_has_stopped_leaves_webhooks_to_others(hook: Hook) -> None:
    hook.queue()
    dispatcher = a_dispatcher(hook.store)
    dispatcher.close()

    assert dispatcher.dispatch() is False
    assert hook.deliver() == 1


@pytest.mark.race
def test_a_worker_that_stops_while_it_leases_a_webhook_gives_it_back_and_leases_no_other(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        a_webhook(hook.rest, url=hook.receiver.url, events=["document.created"])
    hook.queue()
    dispatcher = a_dispatcher(hook.store)
    closing = threading.Thread(target=dispatcher.close)
    take, taken = Leases.take, []

    def take_while_it_stops(leases: Leases, *times: datetime, slow: bool, exclude: list[str]) -> StoredLease | None:
        if slow and not closing.ident:
            closing.start()
            until(dispatcher._sender.stopping.is_set)
        lease = take(leases, *times, slow=slow, exclude=exclude)
        taken.append(lease)
        assert len(taken) < 20, "it leases them again and again"
        return lease

    with monkeypatch.context() as patch:
        patch.setattr(Leases, "take", take_while_it_stops)
        dispatcher.dispatch()
        closing.join()

    assert len([lease for lease in taken if lease]) == 1
    assert hook.receiver.requests == []
    assert hook.deliver() == 6


@pytest.mark.race
def test_a_webhook_whose_turn_has_not_begun_when_the_worker_stops_is_given_back(hook: Hook) -> None:
    hook.queue()
    dispatcher, may_begin = a_dispatcher(hook.store, threads=1), threading.Event()
    pool = dispatcher._pools[True]
    pool._executor.submit(may_begin.wait)  # as long as its thread has not taken the turn

    assert dispatcher.dispatch()
    closing = threading.Thread(target=dispatcher.close)
    closing.start()
    until(pool._closed.is_set)
    may_begin.set()
    closing.join()

    assert hook.receiver.requests == []
    assert hook.deliver() == 1


@pytest.mark.race
def test_several_workers_send_each_message_once_and_one_webhook_at_a_time(hook: Hook) -> None:
    hook.queue(number=12)

    def work(_: int) -> None:
        dispatcher = a_dispatcher(hook.store, threads=2)
        until(lambda: not dispatcher.dispatch() and len(hook.receiver.requests) >= 12)
        dispatcher.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))

    assert hook.slugs == [f"document-{number}" for number in range(12)]


@pytest.mark.contract("decided-webhooks.slow")
@pytest.mark.race
def test_a_slow_receiver_never_delays_anothers(hook: Hook) -> None:
    with receiving() as a, receiving() as b, receiving() as c:
        for slow in (a, b, c):
            slow.may_answer.clear()
            a_webhook(hook.rest, url=slow.url, events=["document.created"])
        dispatcher = a_dispatcher(hook.store, threads=4)
        for number in range(3):
            hook.queue(f"Document {number}")
            while not hook.receiver.arrived.acquire(blocking=False):
                dispatcher.dispatch()

        assert [len(slow.requests) for slow in (a, b, c)] == [1, 1, 1]
    dispatcher.close()


@pytest.mark.contract("decided-webhooks.slow")
@pytest.mark.race
def test_a_projects_webhooks_that_stop_responding_leave_threads_to_other_projects(
    hook: Hook, local_app: Flask, store: Store
) -> None:
    other = a_project(store)
    with receiving() as quick:
        theirs = Hook(
            Rest(local_app.test_client(), other.token()), other, hook.post, quick, events=["document.created"]
        )
        for _ in range(THREADS_PER_PROJECT + 1):
            a_webhook(hook.rest, url=hook.receiver.url, events=["document.created"])
        for one in (hook, theirs):
            one.create()
            one.deliver()  # now all of them count as quick
        hook.receiver.may_answer.clear()
        dispatcher = a_dispatcher(store, threads=THREADS_PER_PROJECT + 1)
        try:
            before = len(quick.requests)
            for one in (hook, theirs):
                one.queue("Another")
                dispatcher.dispatch()
            until(lambda: len(quick.requests) == before + 1)
        finally:
            hook.receiver.may_answer.set()
            dispatcher.close()


def test_a_new_webhook_counts_as_slow_until_its_receiver_responded_quickly(hook: Hook) -> None:
    def lanes() -> list[bool]:
        return [row["slow"] for row in hook.store.database.leases.find({"_id": ObjectId(hook.id)})]

    hook.queue()
    assert lanes() == [True]
    hook.deliver()
    assert lanes() == [False]
    hook.rest.patch(hook.path, {"url": hook.receiver.url + "/elsewhere"})
    assert lanes() == [True]


def test_a_receiver_that_was_slow_is_served_by_threads_of_its_own(hook: Hook, store: Store) -> None:
    hook.rest.patch(hook.path, {"url": f"http://127.0.0.1:{free_port()}/hook"})
    hook.create()
    hook.deliver()
    hook.post.later(minutes=10)

    assert store[Leases].take(hook.post.now, hook.post.now, slow=False) is None
    assert store[Leases].take(hook.post.now, hook.post.now, slow=True) is not None


def test_a_worker_that_died_loses_its_lease_and_another_delivers(hook: Hook, store: Store) -> None:
    hook.queue()
    now = this_instant() + timedelta(seconds=1)
    assert store[Leases].take(now, now + timedelta(days=365), slow=True)

    assert hook.deliver() == 0
    assert hook.deliver(days=400) == 1


@pytest.mark.parametrize("failures", range(1, 20))
def test_a_delay_grows_with_the_failures_and_jitters_by_a_fifth(failures: int) -> None:
    now = this_instant()
    earliest, latest = (message_client.next_attempt(failures, now, now, chance) for chance in (0.0, 1.0))

    assert earliest is not None
    assert latest is not None
    delay = message_client.DELAYS[min(failures, len(message_client.DELAYS)) - 1]
    assert (earliest - now, latest - now) == (delay * 0.8, delay * 1.2)


def test_the_last_attempt_is_made_when_three_days_are_over() -> None:
    since = this_instant()
    end = since + message_client.GIVE_UP_AFTER

    assert message_client.next_attempt(15, since, end - message_client.LONGEST_REST, 1.0) == end
    assert message_client.next_attempt(16, since, end, 0.0) is None


@pytest.mark.contract("decided-site.delivery_changed")
def test_a_change_of_what_is_delivered_is_one_message_for_a_batch_of_events(hook: Hook) -> None:
    chosen = a_webhook(hook.rest, events=["delivery.changed"], url=hook.receiver.url)
    every = a_webhook(hook.rest, url=hook.receiver.url)
    ctx = hook.project.context()
    loaf, roll = (a_document(ctx, title=title, markdown="Flour.") for title in ("Loaf", "Roll"))
    hook.store[Outboxes].publish_all(hook.project.id)

    def messages(webhook: Any) -> list[dict[str, Any]]:
        rows = hook.store.database.deliveries.find({"webhookId": ObjectId(webhook["id"])}).sort("_id")
        return [message for row in rows if (message := json.loads(row["payload"]))["type"] == "delivery.changed"]

    assert messages(chosen) == []
    for document in (loaf, roll):
        hook.rest.post(f"/documents/{document['id']}/publish")
    hook.store[Outboxes].publish_all(hook.project.id)
    [first] = messages(chosen)
    assert {*first["data"]["documentIds"]} == {loaf["id"], roll["id"]}
    assert ({*first["data"]["slugs"]}, first["data"]["what"]) == ({"loaf", "roll"}, ["published"])

    hook.rest.patch(f"/documents/{loaf['id']}", {"slug": "bread"})
    hook.rest.post(f"/documents/{loaf['id']}/publish")
    hook.rest.post(f"/documents/{roll['id']}/unpublish")
    hook.rest.patch("/project", {"siteUrl": "https://crust.example"})
    hook.store[Outboxes].publish_all(hook.project.id)
    second = messages(chosen)[1]
    assert second["data"]["revision"] > first["data"]["revision"]
    assert {*second["data"]["slugs"]} == {"loaf", "bread", "roll"}
    assert second["data"]["what"] == ["published", "renamed", "settings", "unpublished"]

    hook.rest.patch(f"/documents/{loaf['id']}", {"title": "A draft"})
    hook.rest.patch("/project", {"reviewRequired": True})
    hook.store[Outboxes].publish_all(hook.project.id)
    assert len(messages(chosen)) == 2
    assert messages(every) == []
    assert "delivery" not in hook.store.database.events.find_one({"type": "document.published"})


def test_messages_are_as_the_document_of_the_api_describes_them(hook: Hook) -> None:
    hook.rest.patch(hook.path, {"events": ["document.published", "delivery.changed"]})
    document = a_document(hook.project.context(), title="Loaf", markdown="Flour.")
    hook.rest.post(f"/documents/{document['id']}/publish")
    hook.send_test()
    hook.deliver()

    api = hook.rest.get("/openapi.json").json
    validator_of = validators_of(api)
    assert {one["type"] for one in hook.receiver.messages} == {"document.published", "delivery.changed", "webhook.test"}
    for message in hook.receiver.messages:
        described = api["webhooks"]["delivery.changed" if message["type"] == "delivery.changed" else "event"]
        schema = described["post"]["requestBody"]["content"]["application/json"]["schema"]
        validator_of(schema).validate(message)
    [changed] = [one for one in hook.receiver.messages if one["type"] == "delivery.changed"]
    assert changed["data"].keys() == api["components"]["schemas"]["DeliveryChangedData"]["properties"].keys()
