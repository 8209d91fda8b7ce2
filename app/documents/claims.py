"""What a claim of a brief guards, and how it ends (contract: Brief states; decisions, section 6)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from app.core.actors import Actor
from app.core.calls import Call
from app.core.errors import BriefClaimed
from app.core.times import read_time, wire_time
from app.core.vocabulary import BriefState, Channel
from app.documents.record import NO_CLAIM, Decision, StoredBrief, StoredDocument, brief_of, changed


def expire_lease(document: StoredDocument, call: Call) -> Decision:
    """Ends a claim whose lease has run out, and offers the brief again; remembers the claim, for a late submit."""
    expired = {"state": BriefState.READY, "expiredClaim": brief_of(document).get("claimedAt")}
    return change_brief(document, call, "brief.expired", {**NO_CLAIM, **expired})


def written_brief(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields of a brief as they are stored: null for what is empty, ids in lower case."""
    written = {name: value or None for name, value in fields.items()}
    links = written.get("internalLinks")
    return {**written, "internalLinks": [link.lower() for link in links]} if links else written


def finished_brief(document: StoredDocument) -> dict[str, Any]:
    """Returns the fields of a document whose claimed brief becomes drafted; none for a brief in another state."""
    if brief_state(document) != BriefState.CLAIMED:
        return {}
    return {"brief": {**brief_of(document), **NO_CLAIM, "state": BriefState.DRAFTED}}


def refuse_if_claimed(document: StoredDocument, call: Call) -> None:
    """Refuses with `BriefClaimed` while somebody holds a claim."""
    brief = brief_of(document)
    if brief["state"] == BriefState.CLAIMED:
        raise brief_claimed(brief, call)


def refuse_if_guarded(document: StoredDocument, call: Call, *, submits: bool = False) -> None:
    """Refuses with `BriefClaimed` a write of a document that a claim guards against the caller (decisions, section 6).

    A claim guards it against agents that do not hold it, and against callers who name another claim. A caller who
    names a claim that has ended is refused too, unless it `submits` under the last claim, whose lease expired.
    """
    brief = brief_of(document)
    by_another = call.is_by_agent and not holds_claim(brief.get("claimedBy"), call.token_id)
    names_another = call.claimed_at is not None and not names_claim(call, brief.get("claimedAt"))
    if by_another or names_another:
        refuse_if_claimed(document, call)
    if names_another and not (submits and names_claim(call, brief.get("expiredClaim"))):
        raise no_claim_held(call)


def holds_claim(holder: Actor | None, token_id: str | None) -> bool:
    """Returns whether the token is the one that claimed a brief, its `claimedBy`."""
    return token_id is not None and holder is not None and holder["id"] == token_id


def brief_claimed(brief: StoredBrief, call: Call) -> BriefClaimed:
    """Returns the refusal for the caller of a claimed brief (decisions, section 6).

    The message tells the holder what to call next, and all others who holds the claim, since when and until when.
    """
    by, claimed_at, expires_at = brief["claimedBy"], brief["claimedAt"], brief.get("claimExpiresAt")
    assert by is not None
    assert claimed_at is not None
    at = wire_time(claimed_at)
    who = f"{by['agent']}, token {by['name']!r}" if by["agent"] else f"token {by['name']!r}"
    until = f" until {wire_time(expires_at)}" if expires_at else ""
    say = call.name_of
    is_own = holds_claim(by, call.token_id)
    if is_own and (call.claimed_at is None or names_claim(call, claimed_at)):
        message = (
            f"Your token already holds this claim ({who}, since {at}{until}). Go on with {say('get_work_packet')} and "
            f"{say('write_content')}, then {say('submit_document')}. If you can't finish, call "
            f"{say('release_brief')}, which offers the brief again, or {say('withdraw_brief')}."
        )
    elif is_own:
        message = (
            f"The claim that your token holds ({who}, since {at}{until}) is another than the one that you name, of "
            f"{call.claimed_at}. If it is yours, send `claimedAt` {at}. If another agent with your token made it, "
            f"claim another brief with {say('claim_next_brief')}."
        )
    else:
        release = "" if call.channel == Channel.MCP else f", or end this claim with {say('withdraw_brief')}"
        message = (
            f"{who} claimed this brief at {at} and holds it{until}. Claim another with "
            f"{say('claim_next_brief')}{release}."
        )
    return BriefClaimed(message, claimedBy=by, claimedAt=at)


def names_claim(call: Call, claimed_at: datetime | None) -> bool:
    """Returns whether a call names the claim of an instant: to the second where it names no fraction of one."""
    if claimed_at is None or call.claimed_at is None:
        return False
    to_the_second = not {".", ","} & set(call.claimed_at)
    return read_time(call.claimed_at) == (claimed_at.replace(microsecond=0) if to_the_second else claimed_at)


def brief_state(document: StoredDocument) -> str:
    return brief_of(document)["state"]


def no_claim_held(call: Call) -> BriefClaimed:
    message = (
        "You hold no claim: its lease expired, the brief was withdrawn, or the document was submitted. While the brief "
        f"is ready, claim it again with {call.name_of('claim_brief')}."
    )
    return BriefClaimed(message, claimedBy=None, claimedAt=None)


def change_brief(
    document: StoredDocument, call: Call, event: str, fields: Mapping[str, Any], **of_document: Any
) -> Decision:
    return changed(document, call, event, {"brief": {**brief_of(document), **fields}, **of_document})
