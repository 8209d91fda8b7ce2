"""How a brief moves between its states, and why a move is refused (contract: Brief states; decisions, section 6).

A move is a row of data, which states its rule twice: `leaves`, `while_open` and `by_holder` for MongoDB, of which the
store makes the filter of one atomic write, and `refusals` for Python, among which `first_refusal` finds the reason when
that write matched nothing. `tests/documents/test_conditions.py` holds the two equal for every document and caller.
Claiming the next brief is `CLAIM` on what the list of ready briefs shows (`listed_brief_filters`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from app.errors import BriefClaimed, BriefClosed, BriefNotOffered, BriefNotReady, Refusal
from app.rules.actors import Actor
from app.rules.times import wire_time
from app.rules.wording import named
from app.vocabulary import BriefState, Channel
from app.vocabulary import DocumentStatus as Status

if TYPE_CHECKING:
    from app.rules.documents import StoredDocument

OPEN = (Status.IDEA, Status.PLANNED, Status.DRAFTING)
"""The statuses in which a brief can be offered and claimed; in all others it is closed."""


class Claim(TypedDict):
    """The fields of a brief that say who claimed it."""

    claimedBy: Actor | None
    claimedAt: datetime | None
    claimExpiresAt: datetime | None


NO_CLAIM: Claim = {"claimedBy": None, "claimedAt": None, "claimExpiresAt": None}


class StoredBrief(TypedDict):
    """A brief as the store returns it, inside its document; unset fields are missing or null."""

    audience: NotRequired[str | None]
    intent: NotRequired[str | None]
    internalLinks: NotRequired[list[str] | None]
    keyword: NotRequired[str | None]
    notes: NotRequired[str | None]
    outline: NotRequired[str | None]
    referenceUrls: NotRequired[list[str] | None]
    wordCount: NotRequired[str | None]
    state: str
    claimedAt: NotRequired[datetime | None]
    claimedBy: NotRequired[Actor | None]
    claimExpiresAt: NotRequired[datetime | None]
    leaseSeconds: NotRequired[int | None]


NO_BRIEF: StoredBrief = {"state": BriefState.NONE}


def brief_of(document: StoredDocument) -> StoredBrief:
    """Returns the stored brief of a document, `NO_BRIEF` for one that has none."""
    return document.get("brief") or NO_BRIEF


def written_brief(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields of a brief as they are stored: null for what is empty, ids in lower case."""
    written = {name: value or None for name, value in fields.items()}
    links = written.get("internalLinks")
    return {**written, "internalLinks": [link.lower() for link in links]} if links else written


def claim_expired(brief: StoredBrief, now: datetime) -> bool:
    """Returns whether a claim has ended because its lease expired."""
    if brief.get("state") != BriefState.CLAIMED:
        return False
    expires = brief.get("claimExpiresAt")
    return expires is not None and expires <= now


def brief_at(brief: StoredBrief, now: datetime) -> StoredBrief:
    """Returns a brief as it is at an instant: ready from when its claim's lease expired, recorded yet or not."""
    if not claim_expired(brief, now):
        return brief
    return {**brief, **NO_CLAIM, "state": BriefState.READY}


def state_now(document: StoredDocument, now: datetime) -> BriefState:
    """Returns the state of a document's brief at an instant."""
    return BriefState(brief_at(brief_of(document), now).get("state", BriefState.NONE))


@dataclass(frozen=True)
class MoveRequest:
    """What rules (`if_…`), those of edits too, know of a call: who calls, over which interface, and when.

    The fields with a default are set by the operations that need them, some from other records.
    """

    token_id: str | None
    channel: Channel
    now: datetime
    agent: str = ""
    claimed_at: datetime | None = None
    """The claim that the caller writes under, where several agents share a token."""
    review_required: bool = False
    """Whether the project publishes only what was approved."""
    same_eyes: Actor | None = None
    """The author or submitter of the version, if that is the caller and the project demands four eyes."""
    not_renderable: bool = False
    """Whether the html of the document's content is too large to be published."""
    taken_slugs: Collection[str] = ()
    """The document's slugs that other documents have."""
    failed_checks: Sequence[Mapping[str, Any]] = ()
    """The failures of checks that the project demands."""

    @property
    def is_by_agent(self) -> bool:
        """Whether an agent calls: a token with an agent's name, or anybody over MCP."""
        return bool(self.agent) or self.channel == Channel.MCP


Reason = Callable[["StoredDocument", MoveRequest], Refusal | None]
"""Returns why a call is refused, None where it is not: a function named `if_…`. One named `is_…` returns a bool."""


def first_refusal(reasons: Iterable[Reason], document: StoredDocument, request: MoveRequest) -> Refusal | None:
    """Returns the first of the reasons that holds; None when none does."""
    return next((refused for reason in reasons if (refused := reason(document, request))), None)


def is_claimed(document: StoredDocument, request: MoveRequest) -> bool:
    """Returns whether the document's brief is claimed at the time of the request."""
    return state_now(document, request.now) == BriefState.CLAIMED


def if_claimed(document: StoredDocument, request: MoveRequest) -> BriefClaimed | None:
    return brief_claimed(brief_of(document), request) if is_claimed(document, request) else None


def if_closed(document: StoredDocument, request: MoveRequest) -> BriefClosed | None:
    return None if document["status"] in OPEN else BriefClosed()


def if_not_ready(document: StoredDocument, request: MoveRequest) -> BriefNotReady | None:
    if state_now(document, request.now) == BriefState.READY:
        return None
    return BriefNotReady(f"The brief is not ready: offer it with {named('mark_brief_ready', request.channel)} first.")


def if_not_offered(document: StoredDocument, request: MoveRequest) -> BriefNotOffered | None:
    offered = state_now(document, request.now) in (BriefState.READY, BriefState.CLAIMED)
    return None if offered else BriefNotOffered()


def if_held_by_another_over_mcp(document: StoredDocument, request: MoveRequest) -> BriefClaimed | None:
    """Over MCP only the token that holds a claim releases it (contract: Brief states, rule 3)."""
    return if_held_by_another(document, request) if request.channel == Channel.MCP else None


def if_held_by_another(document: StoredDocument, request: MoveRequest) -> BriefClaimed | None:
    return None if holds_claim(brief_of(document).get("claimedBy"), request.token_id) else if_claimed(document, request)


def if_unclaimed(document: StoredDocument, request: MoveRequest) -> BriefClaimed | None:
    if is_claimed(document, request):
        return None
    message = (
        "You hold no claim: its lease expired, the brief was withdrawn, or the document was submitted. While the brief "
        f"is ready, claim it again with {named('claim_brief', request.channel)}."
    )
    return BriefClaimed(message, claimedBy=None, claimedAt=None)


def if_nothing_claimed(document: StoredDocument, request: MoveRequest) -> BriefNotOffered | None:
    nobody = BriefNotOffered("Nobody holds a claim of this brief, so there is none to release.")
    return None if is_claimed(document, request) else nobody


def holds_claim(holder: Actor | None, token_id: str | None) -> bool:
    """Returns whether the token is the one that claimed a brief, its `claimedBy`."""
    return token_id is not None and holder is not None and holder["id"] == token_id


def brief_claimed(brief: StoredBrief, request: MoveRequest) -> BriefClaimed:
    """Returns the refusal for the caller of a claimed brief (decisions, section 6).

    The message tells the holder what to call next, and all others who holds the claim, since when and until when.
    """
    by, claimed_at, expires_at = brief["claimedBy"], brief["claimedAt"], brief.get("claimExpiresAt")
    assert by is not None
    assert claimed_at is not None
    at = wire_time(claimed_at)
    who = f"{by['agent']}, token {by['name']!r}" if by["agent"] else f"token {by['name']!r}"
    until = f" until {wire_time(expires_at)}" if expires_at else ""
    say = partial(named, channel=request.channel)
    if holds_claim(brief.get("claimedBy"), request.token_id) and request.claimed_at in (None, claimed_at):
        message = (
            f"Your token already holds this claim ({who}, since {at}{until}). Go on with {say('get_work_packet')} and "
            f"{say('write_content')}, then {say('submit_document')}. If you can't finish, call "
            f"{say('release_brief')}, which offers the brief again, or {say('withdraw_brief')}."
        )
    else:
        release = "" if request.channel == Channel.MCP else f", or end this claim with {say('withdraw_brief')}"
        message = (
            f"{who} claimed this brief at {at} and holds it{until}. Claim another with "
            f"{say('claim_next_brief')}{release}."
        )
    return BriefClaimed(message, claimedBy=by, claimedAt=at)


@dataclass(frozen=True)
class BriefMove:
    """One row of the table of brief states."""

    leaves: tuple[BriefState, ...]
    enters: BriefState
    event: str
    refusals: tuple[Reason, ...]
    """Why it is refused, in the contract's order."""
    while_open: bool = False
    """Whether the document must be in one of the `OPEN` statuses."""
    by_holder: tuple[Channel, ...] = ()
    """The channels over which only the claiming token may move a claimed brief."""
    document_status: Status | None = None
    """The status that the document enters; None where it stays."""


READY = BriefMove(
    leaves=(BriefState.NONE, BriefState.DRAFTED),
    enters=BriefState.READY,
    event="brief.ready",
    refusals=(if_claimed, if_closed),
    while_open=True,
)
CLAIM = BriefMove(
    leaves=(BriefState.READY,),
    enters=BriefState.CLAIMED,
    event="brief.claimed",
    refusals=(if_claimed, if_closed, if_not_ready),
    while_open=True,
    document_status=Status.DRAFTING,
)
RENEW = BriefMove(
    leaves=(BriefState.CLAIMED,),
    enters=BriefState.CLAIMED,
    event="brief.renewed",
    refusals=(if_unclaimed, if_held_by_another),
    by_holder=tuple(Channel),
)
WITHDRAW = BriefMove(
    leaves=(BriefState.READY, BriefState.CLAIMED),
    enters=BriefState.NONE,
    event="brief.withdrawn",
    refusals=(if_not_offered, if_held_by_another_over_mcp),
    by_holder=(Channel.MCP,),
)
RELEASE = BriefMove(
    leaves=(BriefState.CLAIMED,),
    enters=BriefState.READY,
    event="brief.released",
    refusals=(if_nothing_claimed, if_held_by_another),
    by_holder=tuple(Channel),
)
MOVES = (READY, CLAIM, RENEW, WITHDRAW, RELEASE)


def needs_no_move(move: BriefMove, document: StoredDocument, request: MoveRequest) -> bool:
    """Returns whether a call offers a brief that is ready already, which succeeds and changes nothing."""
    return move is READY and state_now(document, request.now) == BriefState.READY
