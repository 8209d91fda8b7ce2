"""The table of document statuses, walked whole (decisions, section 5)."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from app.errors import BadRequest, InvalidTransition, Refusal, ReviewRequired
from app.rules.actors import SYSTEM
from app.rules.documents import Call
from app.rules.statuses import (
    APPROVE,
    MOVES,
    PUBLISH,
    REQUEST_CHANGES,
    SCHEDULE,
    SUBMIT,
    UNPUBLISH,
    UNSCHEDULE,
    allowed_moves,
    move_status,
    refuse_move,
)
from app.vocabulary import BriefState, Channel
from app.vocabulary import DocumentStatus as Status
from tests.documents.states import NOW, a_document_in, every_document

EVERY = set(Status)
FIRST = {Status.IDEA, Status.PLANNED, Status.DRAFTING}
ANYBODY = Call({**SYSTEM, "id": "somebody"}, Channel.REST, NOW)


def refusal(move: Any, document: Any, call: Call) -> Refusal | None:
    try:
        refuse_move(move, document, call)
    except Refusal as refused:
        return refused
    return None


# What the contract says, operation by operation: from which statuses, for a document with content that is not live.
MAY_LEAVE = {
    SUBMIT: FIRST,
    APPROVE: {Status.DRAFTING, Status.REVIEW},
    REQUEST_CHANGES: {Status.REVIEW, Status.APPROVED},
    SCHEDULE: EVERY - {Status.SCHEDULED},
    UNSCHEDULE: {Status.SCHEDULED},
    PUBLISH: EVERY,
    UNPUBLISH: set(),
}
NEED_CONTENT = {SUBMIT, APPROVE, SCHEDULE, PUBLISH}
NEED_APPROVAL = {SCHEDULE, PUBLISH}
names = {"ids": lambda value: getattr(value, "name", str(value))}


@pytest.mark.parametrize(("move", "status"), list(product(MOVES, Status)), **names)
def test_a_move_leaves_the_statuses_of_its_row_and_no_other(move: Any, status: Status) -> None:
    refused = refusal(move, a_document_in(status), ANYBODY)

    assert refused is None if status in MAY_LEAVE[move] else isinstance(refused, InvalidTransition)


@pytest.mark.parametrize("status", Status)
def test_what_is_live_can_be_unpublished_in_any_status(status: Status) -> None:
    assert refusal(UNPUBLISH, a_document_in(status, live=True), ANYBODY) is None


@pytest.mark.parametrize("changed", [True, False])
def test_what_is_published_is_submitted_again_only_with_unpublished_changes(changed: bool) -> None:
    published = a_document_in(Status.PUBLISHED, live=True, changed=changed)

    assert (refusal(SUBMIT, published, ANYBODY) is None) == changed


@pytest.mark.parametrize("move", MOVES, **names)
def test_a_move_towards_readers_needs_content(move: Any) -> None:
    status = next(iter(sorted(MAY_LEAVE[move], reverse=True)), Status.PUBLISHED)
    empty = a_document_in(status, live=move is UNPUBLISH, content=False)

    assert isinstance(refusal(move, empty, ANYBODY), BadRequest) == (move in NEED_CONTENT)


@pytest.mark.parametrize(("move", "status"), list(product(sorted(NEED_APPROVAL, key=str), Status)), **names)
def test_a_project_that_demands_review_lets_only_what_was_approved_through(move: Any, status: Status) -> None:
    refused = refusal(move, a_document_in(status), replace(ANYBODY, review_required=True))

    if status not in MAY_LEAVE[move]:
        assert isinstance(refused, InvalidTransition)
    else:
        assert (refused is None) == (status == Status.APPROVED)
        assert refused is None or isinstance(refused, ReviewRequired)


def test_what_was_approved_before_it_was_scheduled_still_counts_as_approved() -> None:
    scheduled = a_document_in(Status.SCHEDULED, before=Status.APPROVED)

    assert refusal(PUBLISH, scheduled, replace(ANYBODY, review_required=True)) is None


def test_a_refusal_tells_the_status_and_what_it_allows() -> None:
    refused = refusal(APPROVE, a_document_in(Status.SCHEDULED), ANYBODY)

    assert refused is not None
    assert refused.body()["status"] == "scheduled"
    assert refused.body()["allowed"] == ["unschedule", "publish"]


@pytest.mark.parametrize("status", Status)
def test_what_a_refusal_calls_allowed_is_what_the_table_allows(status: Status) -> None:
    document = a_document_in(status)

    assert allowed_moves(document) == [move.name for move in MOVES if status in MAY_LEAVE[move]]


@pytest.mark.parametrize("move", MOVES, **names)
def test_every_document_moves_as_its_row_says_or_not_at_all(move: Any) -> None:
    for document in every_document():
        if refusal(move, document, ANYBODY) is not None:
            continue

        decision = move_status(move, document, ANYBODY)

        [event] = decision.events
        entered, brief = decision.document["status"], decision.document.get("brief")
        assert (event.type, event.data["status"]) == (move.event, entered)
        assert callable(move.enters) or entered == move.enters
        was_claimed = (document.get("brief") or {}).get("state") == BriefState.CLAIMED
        if was_claimed and move.finishes_brief:
            assert brief["state"] == BriefState.DRAFTED
            assert brief["claimedBy"] is brief["claimedAt"] is brief["claimExpiresAt"] is None
        else:
            assert brief == document.get("brief")


@pytest.mark.parametrize(("before", "live", "after"), [
    (Status.DRAFTING, False, Status.DRAFTING),
    (Status.APPROVED, False, Status.APPROVED),
    (Status.PUBLISHED, True, Status.PUBLISHED),
    (Status.PUBLISHED, False, Status.DRAFTING),
])  # fmt: skip
def test_unscheduling_restores_the_status_before(before: Status, live: bool, after: Status) -> None:
    scheduled = a_document_in(Status.SCHEDULED, before=before, live=live)

    assert move_status(UNSCHEDULE, scheduled, ANYBODY).document["status"] == after


@pytest.mark.parametrize("status", Status)
def test_unpublishing_takes_only_a_published_document_back_to_drafting(status: Status) -> None:
    moved = move_status(UNPUBLISH, a_document_in(status, live=True), ANYBODY).document["status"]

    assert moved == (Status.DRAFTING if status == Status.PUBLISHED else status)
