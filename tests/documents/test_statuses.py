"""The table of document statuses, walked whole (decisions, section 5)."""

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pytest

from app.core.actors import SYSTEM
from app.core.calls import Call
from app.core.errors import Refusal
from app.core.vocabulary import BriefState, Channel
from app.core.vocabulary import DocumentStatus as Status
from app.documents.gates import refuse_unapproved
from app.documents.statuses import (
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
from tests.documents.states import NOW, every_document

EVERY = set(Status)
ANYBODY = Call({**SYSTEM, "id": "somebody"}, Channel.REST, NOW)
DEMANDED = replace(ANYBODY, gates=(partial(refuse_unapproved, True),))
"""A call in a project that demands approval."""

# What the contract says, operation by operation: from which statuses, for a document that is not live.
MAY_LEAVE = {
    SUBMIT: {Status.IDEA, Status.PLANNED, Status.DRAFTING},
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


def may_leave(move: Any, document: Any) -> bool:
    """Returns whether the contract lets a document leave its status by a move."""
    status, live = document["status"], document["isPublished"]
    if move is UNPUBLISH:
        return bool(live)
    changed_since = live and document["published"]["version"] != document["version"]
    return status in MAY_LEAVE[move] or (move is SUBMIT and status == Status.PUBLISHED and changed_since)


def expected(move: Any, document: Any, call: Call) -> str | None:
    """Returns the refusal that the contract demands, None where the move is made."""
    if not may_leave(move, document):
        return "InvalidTransition"
    was_approved = Status.APPROVED in (document["status"], document["statusBefore"])
    if move in NEED_APPROVAL and call is DEMANDED and not was_approved:
        return "ReviewRequired"
    return "BadRequest" if move in NEED_CONTENT and document["contentId"] is None else None


def status_after(move: Any, document: Any) -> str:
    """Returns the status that the contract demands after a move."""
    status, before, live = document["status"], document["statusBefore"], document["isPublished"]
    if move is UNPUBLISH:
        return Status.DRAFTING if status == Status.PUBLISHED else status
    if move is UNSCHEDULE:
        return Status.DRAFTING if before == Status.PUBLISHED and not live else before
    return str(move.enters)


@pytest.mark.contract("decided-documents.moves", "decided-http.InvalidTransition", "statuses")
@pytest.mark.parametrize("move", MOVES, **names)
def test_a_move_is_refused_as_the_contract_says_and_else_made(move: Any) -> None:
    for document, call in product(every_document(), (ANYBODY, *([DEMANDED] if move in NEED_APPROVAL else []))):
        try:
            refuse_move(move, document, call)
            found = None
        except Refusal as refused:
            found = refused.tag
        assert found == expected(move, document, call), (document, call)


def test_what_a_refusal_calls_allowed_is_what_the_table_allows() -> None:
    for document in every_document():
        assert allowed_moves(document) == [move.name for move in MOVES if may_leave(move, document)]


@pytest.mark.parametrize("move", MOVES, **names)
def test_a_move_enters_its_status_with_its_event_and_finishes_a_claimed_brief(move: Any) -> None:
    for document in every_document():
        if expected(move, document, ANYBODY) is not None:
            continue

        decision = move_status(move, document, ANYBODY)

        [event] = decision.events
        entered, brief = decision.document["status"], decision.document.get("brief")
        assert (event.type, event.data["status"], entered) == (move.event, entered, status_after(move, document))
        was_claimed = (document.get("brief") or {}).get("state") == BriefState.CLAIMED
        if was_claimed and move.finishes:
            assert brief["state"] == BriefState.DRAFTED
            assert brief["claimedBy"] is brief["claimedAt"] is brief["claimExpiresAt"] is None
        else:
            assert brief == document.get("brief")
