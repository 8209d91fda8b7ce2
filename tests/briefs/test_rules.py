"""The table of brief states, whole: allowed if and only if nothing refuses it (contract: Brief states)."""

from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest

from app.briefs import rules
from app.core.calls import Call
from app.core.errors import BriefClaimed, Refusal
from app.core.vocabulary import Channel, DocumentStatus
from app.documents.record import Decision, StoredDocument, refuse_if_guarded

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


DOCUMENTS: list[StoredDocument] = [
    {"status": str(status), "version": 1, "slug": "rye", "deletedAt": None}
    | ({} if brief is None else {"brief": brief})
    for status, brief in product(DocumentStatus, briefs())
]
CALLS = [
    Call(actor(token_id, agent), channel, NOW)
    for token_id, agent, channel in product((OURS, None), ("", "writer-1"), Channel)
]
MOVES = {
    "mark_brief_ready": "brief.ready",
    "claim_brief": "brief.claimed",
    "renew_claim": "brief.renewed",
    "withdraw_brief": "brief.withdrawn",
    "release_brief": "brief.released",
}
"""The rules of the table, each with its event."""
ENTERS = {
    "mark_brief_ready": "ready",
    "claim_brief": "claimed",
    "renew_claim": "claimed",
    "withdraw_brief": "none",
    "release_brief": "ready",
}


def state_of(document: StoredDocument) -> tuple[str, str | None]:
    """Returns a brief's state and who holds it; a lease that has run out changes neither until the worker ends it."""
    brief = document.get("brief") or {"state": "none"}
    return brief["state"], brief["claimedBy"]["id"] if brief["state"] == "claimed" else None


def expected(move: str, document: StoredDocument, call: Call) -> str:
    """Returns what the contract's tables say of a move: `moves`, `stays` or the tag of the refusal."""
    state, holder = state_of(document)
    ours = state == "claimed" and holder is not None and holder == call.token_id
    if move in ("mark_brief_ready", "claim_brief"):
        if state == "claimed":
            return "BriefClaimed"
        if document["status"] in CLOSED:
            return "BriefClosed"
        if move == "claim_brief":
            return "moves" if state == "ready" else "BriefNotReady"
        return "stays" if state == "ready" else "moves"
    if move == "withdraw_brief":
        if state not in ("ready", "claimed"):
            return "BriefNotOffered"
        return "BriefClaimed" if state == "claimed" and call.channel == "mcp" and not ours else "moves"
    if move == "release_brief" and state != "claimed":
        return "BriefNotOffered"
    return "moves" if ours else "BriefClaimed"


def decided(move: str, document: StoredDocument, call: Call) -> Decision:
    decision: Decision = getattr(rules, move)(document, call)
    return decision


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
    "decided-briefs.until-ended",
    "errors.BriefClaimed",
    "errors.BriefNotReady",
    "errors.BriefClosed",
    "errors.BriefNotOffered",
)
@pytest.mark.parametrize("move", MOVES)
def test_a_move_is_refused_as_the_tables_say_and_else_made(move: str) -> None:
    for document, call in product(DOCUMENTS, CALLS):
        try:
            decision = decided(move, document, call)
            found = "moves" if decision.events else "stays"
        except Refusal as refused:
            found = refused.tag
        assert found == expected(move, document, call), (document, call)


@pytest.mark.parametrize("move", MOVES)
def test_a_move_enters_its_state_with_its_event(move: str) -> None:
    for document, call in product(DOCUMENTS, CALLS):
        if expected(move, document, call) != "moves":
            continue
        decision = decided(move, document, call)

        brief = decision.document["brief"]
        assert [event.type for event in decision.events] == [MOVES[move]]
        assert brief["state"] == ENTERS[move] == decision.events[-1].data["briefState"]
        assert (brief.get("claimedBy") is not None) == (brief["state"] == "claimed")
        assert decision.document["status"] == ("drafting" if move == "claim_brief" else document["status"])
        assert decision.document["updatedAt"] == NOW


def test_a_rule_changes_no_record_that_it_is_given() -> None:
    before = repr(DOCUMENTS)
    for move, document, call in product(MOVES, DOCUMENTS, CALLS):
        if expected(move, document, call) == "moves":
            decided(move, document, call)

    assert repr(DOCUMENTS) == before


@pytest.mark.contract("decided-briefs.claimed-at")
@pytest.mark.parametrize(
    ("sent", "names"),
    [
        ("2027-01-31T09:00:00.250Z", True),
        ("2027-01-31T10:00:00.250+01:00", True),
        ("2027-01-31T09:00:00Z", True),
        ("2027-01-31T10:00:00+01:00", True),
        ("2027-01-31T09:00:00.000Z", False),
        ("2027-01-31T09:00:00.25Z", True),
        ("2027-01-31T09:00:00,251Z", False),
        ("2027-01-31T09:00:01Z", False),
    ],
)
def test_a_claim_is_named_to_the_second_by_a_time_without_milliseconds(sent: str, names: bool) -> None:
    claimed_at = NOW + timedelta(milliseconds=250)
    claim = {"state": "claimed", "claimedBy": actor(OURS), "claimedAt": claimed_at, "claimExpiresAt": None}
    expired = {"state": "ready", "claimedBy": None, "claimedAt": None, "expiredClaim": claimed_at}
    call = Call(actor(OURS, "writer-1"), Channel.REST, NOW, claimed_at=sent)

    for brief, submits in ((claim, False), (claim, True), (expired, True)):
        document: StoredDocument = {**DOCUMENTS[0], "brief": brief}
        with nullcontext() if names else pytest.raises(BriefClaimed):
            refuse_if_guarded(document, call, submits=submits)


@pytest.mark.contract("decided-briefs.claimed-at")
def test_the_holder_of_another_claim_than_the_one_it_names_is_told_its_own() -> None:
    claim = {"state": "claimed", "claimedBy": actor(OURS), "claimedAt": NOW, "claimExpiresAt": None}
    document: StoredDocument = {**DOCUMENTS[0], "brief": claim}
    call = Call(actor(OURS), Channel.REST, NOW, claimed_at="2027-01-30T08:00:00Z")

    with pytest.raises(BriefClaimed, match="The claim that your token holds .*another") as refused:
        rules.write_brief(document, call, {"keyword": "rye"})

    assert "send `claimedAt` 2027-01-31T09:00:00.000Z" in refused.value.message
    assert refused.value.body()["claimedAt"] == "2027-01-31T09:00:00.000Z"


@pytest.mark.contract("brief-rules.3")
@pytest.mark.parametrize(("channel", "token", "agent"), [*product(Channel, (OURS, THEIRS), ("", "writer-1"))])
def test_a_claim_guards_a_brief_against_agents_that_do_not_hold_it(channel: Channel, token: str, agent: str) -> None:
    claim = {"state": "claimed", "claimedBy": actor(OURS), "claimedAt": NOW, "claimExpiresAt": None}
    document: StoredDocument = {**DOCUMENTS[0], "brief": claim}
    refused = token == THEIRS and (agent or channel == Channel.MCP)

    with pytest.raises(BriefClaimed) if refused else nullcontext():
        rules.write_brief(document, Call(actor(token, agent), channel, NOW), {"keyword": "rye"})
