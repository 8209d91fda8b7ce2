"""How a brief moves between its states, and why a move is refused (contract: Brief states; decisions, section 6).

A move is a row of data. The store turns its `leaves` and `while_status` into the filter of one atomic write; when
that write finds nothing, `refusal` reads the same row to say why. Nothing else knows when a brief may move.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import BriefClaimed, BriefClosed, BriefNotOffered, BriefNotReady, Refusal
from app.rules.times import wire_time
from app.vocabulary import BriefState, Channel
from app.vocabulary import DocumentStatus as Status

OPEN = (Status.IDEA, Status.PLANNED, Status.DRAFTING)
"""The statuses in which a brief can be offered and claimed; in all others it is closed."""

NO_CLAIM: dict[str, Any] = {"claimedBy": None, "claimedAt": None, "claimExpiresAt": None}

Record = Mapping[str, Any]


def brief_of(document: Record) -> Mapping[str, Any]:
    """Returns the stored brief of a document; empty for one that has none."""
    return document.get("brief") or {}


def claim_expired(brief: Record, now: datetime) -> bool:
    """Tells whether a claim was lost because its lease ran out."""
    expires = brief.get("claimExpiresAt")
    return brief.get("state") == BriefState.CLAIMED and expires is not None and expires <= now


def state_now(document: Record, now: datetime) -> BriefState:
    """Returns the state of a document's brief at an instant: an expired claim counts as ready from then on."""
    brief = brief_of(document)
    return BriefState.READY if claim_expired(brief, now) else BriefState(brief.get("state", BriefState.NONE))


@dataclass(frozen=True)
class MoveRequest:
    """Who asks for a move, by which door, and when."""

    token_id: str | None
    channel: Channel
    now: datetime
    agent: str = ""
    claimed_at: datetime | None = None
    """The claim that the caller writes under, where several agents share a token."""


Reason = Callable[[Record, MoveRequest], Refusal | None]


def if_claimed(document: Record, request: MoveRequest) -> Refusal | None:
    return claimed_by_somebody(document) if state_now(document, request.now) == BriefState.CLAIMED else None


def if_closed(document: Record, request: MoveRequest) -> Refusal | None:
    return None if document["status"] in OPEN else BriefClosed()


def if_not_ready(document: Record, request: MoveRequest) -> Refusal | None:
    return None if state_now(document, request.now) == BriefState.READY else BriefNotReady()


def if_not_offered(document: Record, request: MoveRequest) -> Refusal | None:
    offered = state_now(document, request.now) in (BriefState.READY, BriefState.CLAIMED)
    return None if offered else BriefNotOffered()


def if_held_by_another_over_mcp(document: Record, request: MoveRequest) -> Refusal | None:
    """Over MCP only the token that holds a claim releases it (contract: brief rule 3)."""
    return if_held_by_another(document, request) if request.channel == Channel.MCP else None


def if_held_by_another(document: Record, request: MoveRequest) -> Refusal | None:
    held = state_now(document, request.now) == BriefState.CLAIMED
    return claimed_by_somebody(document) if held and not holds_claim(document, request.token_id) else None


def if_unclaimed(document: Record, request: MoveRequest) -> Refusal | None:
    claimed = state_now(document, request.now) == BriefState.CLAIMED
    return (
        None
        if claimed
        else BriefClaimed(
            "Your claim is gone: its lease ran out, or the brief was withdrawn. Claim it again before you go on.",
            claimedBy=None,
            claimedAt=None,
        )
    )


def holds_claim(document: Record, token_id: str | None) -> bool:
    """Tells whether the token is the one that claimed the brief."""
    holder = brief_of(document).get("claimedBy") or {}
    return token_id is not None and holder.get("id") == token_id


def claimed_by_somebody(document: Record) -> BriefClaimed:
    """Returns the refusal that names who claimed the brief and when."""
    brief = brief_of(document)
    by, at = brief["claimedBy"], wire_time(brief["claimedAt"])
    who = by["agent"] or by["name"]
    return BriefClaimed(
        f"The brief was claimed by {who} (token {by['name']!r}) at {at}: withdraw it first, or take another.",
        claimedBy=by,
        claimedAt=at,
    )


@dataclass(frozen=True)
class Move:
    """One row of the table of brief states."""

    name: str
    leaves: tuple[BriefState, ...]
    enters: BriefState
    event: str
    refusals: tuple[Reason, ...]
    while_open: bool = False
    """Whether the document must be in one of the `OPEN` statuses."""
    by_holder: tuple[Channel, ...] = ()
    """The doors over which only the claiming token may move a claimed brief."""


READY = Move(
    "ready",
    leaves=(BriefState.NONE, BriefState.DRAFTED),
    enters=BriefState.READY,
    event="brief.ready",
    refusals=(if_claimed, if_closed),
    while_open=True,
)
CLAIM = Move(
    "claim",
    leaves=(BriefState.READY,),
    enters=BriefState.CLAIMED,
    event="brief.claimed",
    refusals=(if_claimed, if_closed, if_not_ready),
    while_open=True,
)
RENEW = Move(
    "renew",
    leaves=(BriefState.CLAIMED,),
    enters=BriefState.CLAIMED,
    event="brief.renewed",
    refusals=(if_unclaimed, if_held_by_another),
    by_holder=tuple(Channel),
)
WITHDRAW = Move(
    "withdraw",
    leaves=(BriefState.READY, BriefState.CLAIMED),
    enters=BriefState.NONE,
    event="brief.withdrawn",
    refusals=(if_not_offered, if_held_by_another_over_mcp),
    by_holder=(Channel.MCP,),
)
MOVES = (READY, CLAIM, RENEW, WITHDRAW)


def refusal(move: Move, document: Record, request: MoveRequest) -> Refusal | None:
    """Returns the first reason, in the contract's order, why the move is refused; None when it is allowed."""
    for reason in move.refusals:
        if refused := reason(document, request):
            return refused
    return None


def needs_no_move(move: Move, document: Record, request: MoveRequest) -> bool:
    """Tells whether the brief stands already where the move would put it: marking ready what is ready."""
    return move.enters not in move.leaves and state_now(document, request.now) == move.enters
