"""The table of brief states, whole: allowed if and only if nothing refuses it (contract: Brief states)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from app.rules.briefs import (
    CLAIM,
    MOVES,
    READY,
    RELEASE,
    RENEW,
    WITHDRAW,
    BriefMove,
    MoveRequest,
    first_refusal,
    needs_no_move,
)
from app.vocabulary import BriefState, Channel, DocumentStatus

NOW = datetime(2027, 1, 31, 9, tzinfo=UTC)
OURS, THEIRS = "a" * 24, "b" * 24
OPEN = ("idea", "planned", "drafting")
CLOSED = ("review", "approved", "scheduled", "published")
LEASES = {
    "no lease": None,
    "runs out later": NOW + timedelta(milliseconds=1),
    "ran out now": NOW,
    "ran out long ago": NOW - timedelta(days=9),
}


def actor(token_id: str | None, agent: str = "") -> dict[str, Any]:
    return {"type": "token" if token_id else "system", "id": token_id, "name": "A script", "agent": agent}


def briefs() -> Iterator[dict[str, Any] | None]:
    """Yields a brief in every state that there is: none written, and claimed by us, others and the command line."""
    yield None
    for state in ("none", "ready", "drafted"):
        yield {"state": state, "claimedBy": None, "claimedAt": None, "claimExpiresAt": None}
    for holder, expires in product((OURS, THEIRS, None), LEASES.values()):
        yield {"state": "claimed", "claimedBy": actor(holder), "claimedAt": NOW, "claimExpiresAt": expires}


DOCUMENTS = [
    {"status": str(status)} | ({} if brief is None else {"brief": brief})
    for status, brief in product(DocumentStatus, briefs())
]
CALLS = [MoveRequest(token_id, channel, NOW) for token_id, channel in product((OURS, None), Channel)]


def stands(document: dict[str, Any]) -> tuple[str, str | None]:
    """Returns a brief's state now and who holds it, as the contract says."""
    brief = document.get("brief") or {"state": "none"}
    if brief["state"] != "claimed":
        return brief["state"], None
    expires = brief["claimExpiresAt"]
    return ("ready", None) if expires is not None and expires <= NOW else ("claimed", brief["claimedBy"]["id"])


def said(move: BriefMove, document: dict[str, Any], asked: MoveRequest) -> str:
    """Returns what the contract's tables say of a move: `moves`, `stays` or the tag of the refusal."""
    state, holder = stands(document)
    ours = state == "claimed" and holder is not None and holder == asked.token_id
    if move is READY:
        if state == "claimed":
            return "BriefClaimed"
        if document["status"] in CLOSED:
            return "BriefClosed"
        return "stays" if state == "ready" else "moves"
    if move is CLAIM:
        if state == "claimed":
            return "BriefClaimed"
        if document["status"] in CLOSED:
            return "BriefClosed"
        return "moves" if state == "ready" else "BriefNotReady"
    if move is WITHDRAW:
        if state not in ("ready", "claimed"):
            return "BriefNotOffered"
        return "BriefClaimed" if state == "claimed" and asked.channel == "mcp" and not ours else "moves"
    if move is RELEASE and state != "claimed":
        return "BriefNotOffered"
    return "moves" if ours else "BriefClaimed"


@pytest.mark.contract(
    "brief-moves.none-ready",
    "brief-moves.drafted-ready",
    "brief-moves.claim",
    "brief-moves.withdraw-ready",
    "brief-moves.withdraw-claimed",
    "brief-rules.2",
    "brief-rules.3",
    "decided-briefs.claim-order",
    "decided-briefs.ready-order",
    "decided-briefs.closed",
    "decided-briefs.renew",
    "decided-briefs.release",
    "errors.BriefClaimed",
    "errors.BriefNotReady",
    "errors.BriefClosed",
    "errors.BriefNotOffered",
)
@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.event)
def test_a_move_is_refused_as_the_tables_say_and_else_allowed(move) -> None:
    for document, asked in product(DOCUMENTS, CALLS):
        refused = first_refusal(move.refusals, document, asked)
        stays = needs_no_move(move, document, asked)
        found = refused.tag if refused else "stays" if stays else "moves"
        assert found == said(move, document, asked), (document, asked)


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.event)
def test_a_move_that_is_allowed_leaves_from_a_state_of_its_row(move) -> None:
    for document, asked in product(DOCUMENTS, CALLS):
        leaves = stands(document)[0] in move.leaves and (document["status"] in OPEN or not move.while_open)
        if said(move, document, asked) == "moves":
            assert leaves, (document, asked)


def test_the_table_enters_the_states_of_the_contract() -> None:
    assert {move.event: move.enters for move in MOVES} == {
        "brief.ready": BriefState.READY,
        "brief.claimed": BriefState.CLAIMED,
        "brief.renewed": BriefState.CLAIMED,
        "brief.withdrawn": BriefState.NONE,
        "brief.released": BriefState.READY,
    }


@pytest.mark.contract("decided-briefs.claimed-names", "errors.lost-claim")
@pytest.mark.parametrize(("agent", "who"), [("", "A script"), ("writer-1", "writer-1")])
def test_the_refusal_names_who_claimed_and_when_in_keys_and_in_words(agent, who) -> None:
    brief = {"state": "claimed", "claimedBy": actor(THEIRS, agent), "claimedAt": NOW, "claimExpiresAt": None}

    refused = first_refusal(
        CLAIM.refusals, {"status": "drafting", "brief": brief}, MoveRequest(OURS, Channel.REST, NOW)
    )

    assert refused is not None
    body = refused.body()
    assert (body["_tag"], body["claimedBy"], body["claimedAt"]) == (
        "BriefClaimed",
        actor(THEIRS, agent),
        "2027-01-31T09:00:00.000Z",
    )
    assert who in body["message"]
    assert "2027-01-31T09:00:00.000Z" in body["message"]


def test_a_lost_claim_cannot_be_renewed_and_no_holder_is_named() -> None:
    brief = {"state": "claimed", "claimedBy": actor(OURS), "claimedAt": NOW, "claimExpiresAt": NOW}

    refused = first_refusal(
        RENEW.refusals, {"status": "drafting", "brief": brief}, MoveRequest(OURS, Channel.REST, NOW)
    )

    assert refused is not None
    assert refused.extra == {"claimedBy": None, "claimedAt": None}
