"""The checker of `make chaos` finds what it looks for, in histories that are wrong in one place."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from chaos.checker import violations
from chaos.history import Attempt, Call, Client, Final, History, Incident, Message, Notice
from chaos.punctuality import punctual
from chaos.run import read_at_rest

LOAF, A, B = "loaf", "a", "b"
TEXT = "# Text of A\n"

Change = Callable[[History], History]


def a_call(token: str, operation: str, at: float, outcome: str = "200", sent: Any = None, **answer: Any) -> Call:
    """A call that took a second."""
    wait = 2 if outcome == "503" else None
    return Call(token, operation, LOAF, (Attempt(at, at + 1, 0, outcome, wait),), sent or {}, answer)


def record(status: str, state: str, holder: str | None, version: int) -> dict[str, Any]:
    """What the service shows of the document."""
    return {
        "id": LOAF,
        "title": "Loaf",
        "key": None,
        "status": status,
        "briefState": state,
        "holder": holder,
        "version": version,
        "publishedVersion": None,
        "categoryId": None,
    }


def an_event(sequence: int, kind: str, token: str, status: str, state: str, version: int) -> dict[str, Any]:
    """An event of the document."""
    data = {"documentId": LOAF, "status": status, "briefState": state, "version": version}
    return {"id": f"event-{sequence}", "sequence": sequence, "type": kind, "by": {"id": token}, "data": data}


CALLS = (
    Call(A, "create_document_intent", None, (Attempt(0, 1, 0, "201"),), {"title": "Loaf"}, {"id": "draft"}),
    Call(A, "confirm_intent", None, (Attempt(1, 2, 0, "201"),), {"intentId": "draft"}, record("idea", "none", None, 1)),
    a_call(A, "mark_brief_ready", 2, **record("idea", "ready", None, 1)),
    a_call(A, "claim_brief", 3, **record("drafting", "claimed", A, 1)),
    a_call(B, "claim_brief", 3.5, "BriefClaimed", holder=A),
    a_call(A, "write_content", 5, sent={"markdown": TEXT, "baseVersion": 1}, **record("drafting", "claimed", A, 2)),
)
EVENTS = (
    an_event(1, "document.created", A, "idea", "none", 1),
    an_event(2, "brief.ready", A, "idea", "ready", 1),
    an_event(3, "brief.claimed", A, "drafting", "claimed", 1),
    an_event(4, "document.content_updated", A, "drafting", "claimed", 2),
)
MESSAGES = tuple(
    Message(event["id"], 10.0 + event["sequence"], event["type"], event["sequence"], LOAF) for event in EVENTS
)
SUBMIT = a_call(A, "submit_document", 20, **record("review", "drafted", None, 2))
RIGHT = History(
    seed=1,
    clients=(Client(A, "rest", is_agent=True, has_budget=True), Client(B, "mcp", is_agent=True, has_budget=False)),
    calls=CALLS,
    incidents=(),
    final=Final(
        documents={LOAF: record("drafting", "claimed", A, 2)},
        revisions={LOAF: {"1": "", "2": TEXT}},
        events=EVENTS,
        followed=tuple(event["id"] for event in EVENTS),
        messages={"": MESSAGES},
        insights={
            "statuses": {"drafting": 1, "review": 0},
            "briefs": {"claimed": 1},
            "days": [{"created": 1, "claimed": 1, "submitted": 0, "approved": 0, "published": 0}],
            "agents": [{"id": A, "claimed": 1}],
        },
        document_counts={},
        budgets={A: {"writesPerHour": 5}},
        at=30,
    ),
    judged=("find on documents",),
)


def with_final(**changes: Any) -> Change:
    """Changes what the service holds in the end."""
    return lambda history: replace(history, final=replace(history.final, **changes))


def with_call(number: int, call: Call) -> Change:
    """Replaces a call."""
    return lambda history: replace(history, calls=(*history.calls[:number], call, *history.calls[number + 1 :]))


def without_event(sequence: int) -> Change:
    """Leaves an event out of the feed, and numbers the later ones anew."""
    kept = [event for event in EVENTS if event["sequence"] != sequence]
    events = tuple({**event, "sequence": number} for number, event in enumerate(kept, 1))
    return with_final(events=events, followed=tuple(event["id"] for event in events))


def counted(name: str, value: Any) -> Change:
    """Has the figures say something else."""
    return with_final(insights={**RIGHT.final.insights, name: value})


def with_messages(*messages: Message) -> Change:
    """Changes what the webhook received."""
    return with_final(messages={"": messages})


def broken_off(call: Call) -> Call:
    """The same call, not answered."""
    return replace(call, attempts=(replace(call.attempts[0], outcome="503", retry_after=2),), answer={})


def with_remark(*texts: str) -> Change:
    """Has a remark acknowledged, and other texts in the threads."""
    remark = a_call(A, "open_thread", 7, "201", {"text": "Which?"})
    return lambda history: with_final(comments={LOAF: texts})(replace(history, calls=(*history.calls, remark)))


WRONG: Mapping[str, tuple[str, Change]] = {
    "a lost write": ("no_acknowledged_write_is_lost", with_final(revisions={LOAF: {"1": "", "2": "# Text of B\n"}})),
    "a lost field": (
        "no_acknowledged_write_is_lost",
        with_final(documents={LOAF: {**record("drafting", "claimed", A, 2), "title": "Roll"}}),
    ),
    "a lost draft": (
        "answers_are_those_of_the_contract",
        with_call(1, replace(CALLS[1], attempts=(Attempt(1, 2, 0, "NotFound"),), answer={})),
    ),
    "a lost remark": ("no_remark_is_lost_or_doubled", with_remark()),
    "a remark made twice": ("no_remark_is_lost_or_doubled", with_remark("Which?", "Which?")),
    "a remark that nobody made": ("no_remark_is_lost_or_doubled", with_remark("Which?", "What?")),
    "a lost document": ("no_acknowledged_write_is_lost", with_final(documents={})),
    "a lost claim": (
        "calls_on_each_document_have_an_order",
        with_final(documents={LOAF: record("drafting", "ready", None, 2)}),
    ),
    "a double claim": (
        "calls_on_each_document_have_an_order",
        with_call(4, a_call(B, "claim_brief", 3.5, **record("drafting", "claimed", B, 1))),
    ),
    "a refusal before its reason": (
        "calls_on_each_document_have_an_order",
        with_call(4, replace(CALLS[4], attempts=(Attempt(2.5, 2.9, 0, "BriefClaimed"),))),
    ),
    "a version that two writes made": (
        "calls_on_each_document_have_an_order",
        lambda history: replace(history, calls=(*history.calls, replace(CALLS[5], token=A))),
    ),
    "a read that shows what was before": (
        "reads_show_what_was_acknowledged_before",
        lambda history: replace(history, calls=(*history.calls, a_call(B, "get_outline", 7, version=1))),
    ),
    "a document made twice": (
        "nothing_is_made_twice",
        with_final(
            documents={LOAF: RIGHT.final.documents[LOAF], "other": {**RIGHT.final.documents[LOAF], "id": "other"}}
        ),
    ),
    "a document that nobody made": ("nothing_is_made_twice", with_call(0, replace(CALLS[0], sent={"title": "Roll"}))),
    "a change without an event": ("events_are_the_changes", without_event(3)),
    "an event without a change": (
        "events_are_the_changes",
        with_final(events=(*EVENTS, an_event(5, "brief.renewed", A, "drafting", "claimed", 2))),
    ),
    "a last event that the document is not like": (
        "events_are_the_changes",
        with_final(documents={LOAF: record("review", "claimed", A, 2)}),
    ),
    "a gap in the feed": ("the_feed_has_no_gap", with_final(events=(*EVENTS[:3], {**EVENTS[3], "sequence": 5}))),
    "an event that was not relayed": ("the_feed_has_no_gap", with_final(waiting_events=1)),
    "an event that a reader missed": ("the_feed_has_no_gap", with_final(followed=("event-1", "event-3", "event-4"))),
    "a message that was not sent": ("webhooks_get_each_event_once_in_order", with_messages(*MESSAGES[:3])),
    "a message sent twice": (
        "webhooks_get_each_event_once_in_order",
        with_messages(*MESSAGES, replace(MESSAGES[3], at=15)),
    ),
    "an event under two ids": (
        "webhooks_get_each_event_once_in_order",
        with_messages(*MESSAGES, replace(MESSAGES[3], id="other")),
    ),
    "messages out of order": (
        "webhooks_get_each_event_once_in_order",
        with_messages(MESSAGES[0], MESSAGES[2], MESSAGES[1], MESSAGES[3]),
    ),
    "a submission that nobody was told of": (
        "what_waits_is_told_once",
        lambda history: replace(
            with_final(documents={LOAF: record("review", "drafted", None, 2)})(history), calls=(*CALLS, SUBMIT)
        ),
    ),
    "a submission that was told of twice": (
        "what_waits_is_told_once",
        with_final(
            events=(*EVENTS, an_event(5, "document.submitted", A, "review", "drafted", 2)),
            notices=(Notice(21, "Waits for review", LOAF), Notice(22, "Waits for review", LOAF)),
        ),
    ),
    "a wrong count of documents": ("counters_are_what_they_count", counted("statuses", {"drafting": 2})),
    "a wrong count of a day": ("counters_are_what_they_count", counted("days", [])),
    "a wrong count of an agent": ("counters_are_what_they_count", counted("agents", [{"id": A, "claimed": 2}])),
    "a wrong count of a category": ("counters_are_what_they_count", with_final(document_counts={"bread": 1})),
    "a budget spent twice": ("counters_are_what_they_count", with_final(budgets={A: {"writesPerHour": 6}})),
    "a budget not spent": ("counters_are_what_they_count", with_final(budgets={A: {"writesPerHour": 3}})),
    "an error of the server": (
        "answers_are_those_of_the_contract",
        with_call(4, a_call(B, "claim_brief", 3.5, "InternalError")),
    ),
    "a 503 that does not say when to try again": (
        "answers_are_those_of_the_contract",
        with_call(4, replace(CALLS[4], attempts=(Attempt(3.5, 4.5, 0, "503"),))),
    ),
    "a 503 without a failure": ("outages_are_short", with_call(4, broken_off(CALLS[4]))),
    "a connection that ended by itself": (
        "outages_are_short",
        with_call(4, replace(CALLS[4], attempts=(Attempt(3.5, 4.5, 0, "broken"),))),
    ),
    "a command that a router refuses": (
        "a_sharded_cluster_takes_every_command",
        lambda history: replace(history, refused=("update on documents: needs the whole shard key",)),
    ),
    "a run that no router watched": (
        "a_sharded_cluster_takes_every_command",
        lambda history: replace(history, judged=()),
    ),
    "an index that is missing": ("the_database_is_as_it_should_be", with_final(problems=("documents lacks an index",))),
}


def test_a_history_without_a_violation_passes() -> None:
    assert violations(RIGHT) == []


@pytest.mark.parametrize(("check", "change"), WRONG.values(), ids=list(WRONG))
def test_each_violation_is_found(check: str, change: Change) -> None:
    found = violations(change(RIGHT))

    assert any(line.startswith(f"{check}: ") for line in found), found


def test_a_write_that_was_not_answered_may_have_happened_or_not() -> None:
    incidents = (Incident("kill_primary", "mongod", 4.5, 9),)
    unanswered = replace(with_call(5, broken_off(CALLS[5]))(RIGHT), incidents=incidents)
    undone = with_final(
        documents={LOAF: record("drafting", "claimed", A, 1)},
        events=EVENTS[:3],
        followed=RIGHT.final.followed[:3],
        messages={"": MESSAGES[:3]},
        budgets={A: {"writesPerHour": 4}},
    )

    assert violations(unanswered) == []
    assert violations(undone(unanswered)) == []


def test_a_read_that_began_before_a_write_was_answered_may_show_what_was_before() -> None:
    outline = a_call(B, "get_outline", 5.9, version=1)

    assert violations(replace(RIGHT, calls=(*RIGHT.calls, outline))) == []


def test_a_message_may_be_sent_again_where_a_failure_prevented_its_response_from_being_recorded() -> None:
    again = with_messages(*MESSAGES, replace(MESSAGES[3], at=15))(RIGHT)

    assert violations(replace(again, incidents=(Incident("kill_worker", "worker 0", 13.5, 14.5),))) == []


def test_an_outage_may_take_ten_seconds_and_no_longer() -> None:
    def at(seconds: float) -> History:
        late = Call(B, "claim_brief", LOAF, (Attempt(seconds - 1, seconds, 0, "503", 2),))
        return replace(RIGHT, calls=(*RIGHT.calls, late), incidents=(Incident("kill_primary", "mongod", 7, 19),))

    assert violations(at(16.5)) == []
    assert violations(at(20)) == [
        "outages_are_short: claim_brief was not answered (503) 13.0 s after an incident began"
    ]


def test_a_new_primary_may_not_show_a_document_yet_and_nothing_else_may_miss_it() -> None:
    missed = a_call(B, "get_outline", 8, "NotFound")
    history = replace(RIGHT, calls=(*RIGHT.calls, missed))

    assert violations(replace(history, incidents=(Incident("kill_primary", "mongod", 7, 9),))) == []
    assert [line.partition(":")[0] for line in violations(history)] == ["answers_are_those_of_the_contract"]


def test_what_begins_when_everything_works_again_is_answered() -> None:
    late = Call(B, "claim_brief", LOAF, (Attempt(8, 9, 0, "503", 2),))
    ended = replace(RIGHT, calls=(*RIGHT.calls, late), incidents=(Incident("kill_primary", "mongod", 4, 7),))

    assert violations(ended) == ["outages_are_short: claim_brief was not answered (503), and everything worked"]


def test_what_is_read_while_a_lease_runs_out_is_read_again() -> None:
    positions = iter((None, 7, 7, None, 8, 8, 8))
    reads = iter(("before the event of the lease's end", "after it"))

    assert read_at_rest(lambda: next(positions), lambda: next(reads)) == "after it"
    assert next(positions, None) is None


@pytest.mark.parametrize(
    ("told", "late"),
    [
        ({LOAF: 110.0}, False),
        ({LOAF: 110.1}, True),
        ({LOAF: 118.0, "frozen from": 105.0}, False),
        ({LOAF: 118.0, "frozen from": 95.0}, True),
        ({LOAF: 118.1, "frozen from": 105.0}, True),
        ({}, True),
    ],
)
def test_a_notice_takes_at_most_ten_seconds_beside_those_of_incidents(told: dict[str, float], late: bool) -> None:
    began = told.pop("frozen from", 0.0)

    _, violations = punctual({LOAF: 100.0}, told, [Incident("freeze_majority", "mongod", began, began + 8)])

    assert bool(violations) == late
