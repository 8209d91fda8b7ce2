"""The rules of review threads: who may do what in which state, and what the document's record says after it.

(decisions, section 17)
"""

from dataclasses import replace
from functools import partial
from itertools import count, product
from typing import Any

import pytest

from app.core.calls import Call
from app.core.errors import BadRequest, Refusal
from app.core.vocabulary import Channel, DocumentStatus
from app.documents import statuses
from app.features import GATES
from app.review import rules
from app.review.errors import ThreadResolved, ThreadsOpen
from app.review.feature import refuse_unanswered, refuse_unresolved
from app.review.rules import MOST_UNRESOLVED, counts_of, new_threads, open_threads, record_thread
from app.review.schemas import MOST_COMMENTS
from app.review.vocabulary import ThreadLevel, ThreadState
from tests.documents.states import HOLDER, NOW, a_document_in

TEXT = "Flour, water and patience.\n\nMore flour.\n"
OTHER = "b" * 24


def call_of(token_id: str = HOLDER, kind: str = "token") -> Call:
    return Call({"type": kind, "id": token_id, "name": "Lee", "agent": ""}, Channel.REST, NOW)


def a_document(**fields: Any) -> Any:
    return {**a_document_in(DocumentStatus.REVIEW), "id": HOLDER, **fields}


def opened(*sent: dict[str, Any], document: Any = None, call: Call | None = None, path: str = "") -> list[Any]:
    numbers = count(1)
    return new_threads(document or a_document(), call or call_of(), sent, TEXT, lambda: f"{next(numbers):024x}", path)


def a_thread(**fields: Any) -> Any:
    [thread] = opened({"text": "Which?", "quote": {"exact": "Flour"}, "suggestion": "Rye"})
    return {**thread, **fields}


def tag_of(rule: Any, *arguments: Any, **options: Any) -> str | None:
    try:
        rule(*arguments, **options)
    except Refusal as refused:
        return refused.tag
    return None


@pytest.mark.contract("decided-threads.open", "decided-threads.caps")
def test_a_document_has_at_most_200_threads_that_are_not_resolved() -> None:
    document = a_document(unresolvedThreads=MOST_UNRESOLVED - 1)

    assert tag_of(opened, {"text": "One."}, document=document) is None
    with pytest.raises(BadRequest) as refused:
        opened({"text": "One."}, {"text": "Two."}, document=document, path="threads")
    assert [one["field"] for one in refused.value.extra["errors"]] == ["threads[1].text"]
    full = a_document(unresolvedThreads=MOST_UNRESOLVED)
    resolved = a_thread(state="resolved")
    reopened = rules.reopen_thread(resolved, call_of())
    assert tag_of(record_thread, full, call_of(), "thread.reopened", resolved, reopened) == "BadRequest"


@pytest.mark.contract("decided-threads.replies")
@pytest.mark.parametrize(
    ("state", "by", "after"),
    [
        ("open", HOLDER, "open"),
        ("open", OTHER, "answered"),
        ("answered", HOLDER, "open"),
        ("answered", OTHER, "answered"),
    ],
)
def test_an_answer_by_another_answers_and_one_by_the_opener_opens(state: str, by: str, after: str) -> None:
    replied = rules.reply_to_thread(a_thread(state=state), call_of(by), "Done.", "c" * 24)

    assert replied["state"] == after
    assert [comment["text"] for comment in replied["comments"]] == ["Which?", "Done."]


@pytest.mark.contract("decided-threads.replies", "decided-threads.caps")
def test_a_resolved_thread_takes_no_answer_and_none_takes_the_101st_comment() -> None:
    full = a_thread(comments=[{}] * MOST_COMMENTS)

    with pytest.raises(ThreadResolved):
        rules.reply_to_thread(a_thread(state="resolved"), call_of(), "Done.", "c" * 24)
    for rule, options in (
        (rules.reply_to_thread, {}),
        (rules.resolve_thread, {}),
        (rules.reject_suggestion, {}),
    ):
        with pytest.raises(BadRequest) as refused:
            rule(full, call_of(), "Done.", "c" * 24, **options)
        assert [one["field"] for one in refused.value.extra["errors"]] == ["text"]


@pytest.mark.contract("decided-threads.agents")
@pytest.mark.parametrize(("level", "by", "by_agent"), list(product(ThreadLevel, (HOLDER, OTHER), (False, True))))
def test_an_agent_settles_no_must_thread_of_another(level: str, by: str, by_agent: bool) -> None:
    thread, call = a_thread(level=level), replace(call_of(by), has_agent=by_agent)
    expected = "ThreadNotYours" if by_agent and by != HOLDER and level == "must" else None

    for state in ThreadState:
        resolve = tag_of(rules.resolve_thread, {**thread, "state": state}, call, None, "")
        reject = tag_of(rules.reject_suggestion, {**thread, "state": state}, call, None, "")
        assert resolve == expected
        assert reject == (expected or ("ThreadResolved" if state == "resolved" else None))
    accepted = rules.accept_suggestion(thread, call)
    assert (accepted["state"], accepted["outcome"]) == ("answered" if expected else "resolved", "accepted")


@pytest.mark.contract("decided-threads.settled")
def test_resolving_a_resolved_thread_and_reopening_another_change_nothing() -> None:
    resolved = a_thread(state="resolved", resolvedAt=NOW, resolvedBy=call_of().actor, outcome="rejected")

    assert rules.resolve_thread(resolved, call_of(), "Again.", "") is resolved
    assert rules.reopen_thread(a_thread(), call_of())["state"] == "open"
    assert record_thread(a_document(), call_of(), "thread.reopened", a_thread(), a_thread()).events == ()
    reopened = rules.reopen_thread(resolved, call_of())
    assert [reopened[name] for name in ("state", "resolvedAt", "resolvedBy", "outcome")] == ["open", None, None, None]


@pytest.mark.contract("decided-threads.refusals", "decided-http.ThreadsOpen")
@pytest.mark.parametrize("move", [statuses.APPROVE, statuses.SCHEDULE, statuses.PUBLISH])
def test_a_must_thread_stands_in_the_way_directly_after_the_status(move: Any) -> None:
    call = replace(call_of(), gates=(partial(refuse_unresolved, None),))

    for state in ("open", "answered"):
        document = {**a_document_in(DocumentStatus.DRAFTING), "contentId": None}
        document |= {"mustThreads": {OTHER: state, HOLDER: state}}
        with pytest.raises(ThreadsOpen) as raised:
            statuses.refuse_move(move, document, call)
        assert raised.value.extra["threads"] == [HOLDER, OTHER]
        outdated = tag_of(statuses.refuse_move, move, document, call, base_version=1)
        assert outdated == "VersionConflict"


def test_only_an_open_must_thread_stands_in_the_way_of_a_submit() -> None:
    document = a_document_in(DocumentStatus.DRAFTING)

    assert tag_of(refuse_unanswered, None, {**document, "mustThreads": {OTHER: "open"}}, call_of()) == "ThreadsOpen"
    assert tag_of(refuse_unanswered, None, {**document, "mustThreads": {OTHER: "answered"}}, call_of()) is None


@pytest.mark.contract("decided-threads.refusals")
def test_the_gates_stand_in_the_contracts_order() -> None:
    errors = {
        operation: [error.__name__ for gate in GATES if operation in gate.guards for error in gate.errors]
        for operation in ("submit_document", "approve_document", "publish_document")
    }

    assert errors == {
        "submit_document": ["ThreadsOpen", "ChecksFailed"],
        "approve_document": ["ThreadsOpen", "HumanReviewRequired", "HumanReviewRequired", "FourEyes"],
        "publish_document": ["ThreadsOpen", "HumanReviewRequired", "FourEyes", "ReviewRequired"],
    }


def test_the_documents_record_counts_what_is_left() -> None:
    document = a_document()
    threads = opened({"text": "One.", "level": "must"}, {"text": "Two."}, {"text": "Three.", "level": "must"})

    decision = open_threads(document, call_of(), threads)

    assert [event.type for event in decision.events] == ["thread.opened"] * 3
    counted = ("unresolvedThreads", "mustThreads", "openSince")
    assert counts_of(threads) == {name: decision.document[name] for name in counted}
    for number, thread in enumerate(threads, 1):
        after = rules.resolve_thread(thread, call_of(), None, "")
        decision = record_thread(decision.document, call_of(), "thread.resolved", thread, after)
        assert decision.document["unresolvedThreads"] == 3 - number
        assert decision.events[0].data["outcome"] is None
    assert decision.document["mustThreads"] == {}
