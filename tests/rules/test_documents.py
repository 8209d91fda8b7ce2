"""The table of document statuses, walked whole (decisions, section 5)."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from app.errors import BadRequest, InvalidTransition, ReviewRequired
from app.rules.briefs import MoveRequest
from app.rules.documents import (
    APPROVE,
    MOVES,
    PUBLISH,
    REQUEST_CHANGES,
    SCHEDULE,
    SUBMIT,
    UNPUBLISH,
    UNSCHEDULE,
    allowed,
    refusal,
)
from app.vocabulary import Channel
from app.vocabulary import DocumentStatus as Status
from tests.documents.states import NOW, a_document_in

EVERY = set(Status)
FIRST = {Status.IDEA, Status.PLANNED, Status.DRAFTING}
ANYBODY = MoveRequest("somebody", Channel.REST, NOW)

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

    assert allowed(document) == [move.name for move in MOVES if status in MAY_LEAVE[move]]
