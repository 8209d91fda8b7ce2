"""How a brief moves between its states, and how it is written (contract: Brief states; decisions, section 6).

Each move is a rule: it checks its refusals in the contract's order. A claim whose lease has run out is `claimed` as any
other until the worker ends it by `expire_lease`.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from app.core.calls import Call
from app.core.errors import BadRequest, BriefClosed, BriefNotOffered, BriefNotReady, Problem
from app.core.vocabulary import BriefState, Channel, DocumentStatus
from app.documents.record import (
    NO_CLAIM,
    OPEN,
    Decision,
    StoredDocument,
    brief_of,
    brief_state,
    change_brief,
    holds_claim,
    no_claim_held,
    refuse_if_claimed,
    refuse_if_guarded,
    why_no_claim,
)
from app.documents.statuses import status_words


def mark_brief_ready(document: StoredDocument, call: Call) -> Decision:
    """Offers the brief; one that is ready already stays as it is."""
    refuse_if_claimed(document, call, offers=True)
    _refuse_if_closed(document, call, offers=True)
    if brief_state(document) == BriefState.READY:
        return Decision(document)
    return change_brief(document, call, "brief.ready", {"state": BriefState.READY})


def claim_brief(document: StoredDocument, call: Call, lease_seconds: int | None = None) -> Decision:
    """Gives the brief to the caller; without `lease_seconds` the claim never expires."""
    refuse_if_claimed(document, call)
    _refuse_if_closed(document, call)
    if brief_state(document) != BriefState.READY:
        claims, offers = call.name_of("claim_next_brief"), call.name_of("mark_brief_ready")
        advice = f"offer it with {offers} first" if call.permits("mark_brief_ready") else f"claim another with {claims}"
        raise BriefNotReady(f"The brief is not ready: {advice}.")
    claim = {"state": BriefState.CLAIMED, "claimedBy": call.actor, "claimedAt": call.now, "expiredClaim": None}
    fields = {**claim, **_lease(call, lease_seconds)}
    return change_brief(document, call, "brief.claimed", fields, status=DocumentStatus.DRAFTING)


def renew_claim(document: StoredDocument, call: Call, lease_seconds: int | None = None) -> Decision:
    """Starts the caller's lease again; without `lease_seconds` for as long as before."""
    if brief_state(document) != BriefState.CLAIMED:
        raise no_claim_held(document, call)
    _refuse_if_held_by_another(document, call)
    seconds = brief_of(document).get("leaseSeconds") if lease_seconds is None else lease_seconds
    return change_brief(document, call, "brief.renewed", _lease(call, seconds))


def withdraw_brief(document: StoredDocument, call: Call) -> Decision:
    """Ends the brief's offer, or its claim; over MCP only the holder ends a claim (contract: Brief states, rule 3)."""
    if brief_state(document) not in (BriefState.READY, BriefState.CLAIMED):
        raise BriefNotOffered
    if call.channel == Channel.MCP:
        _refuse_if_held_by_another(document, call)
    return change_brief(document, call, "brief.withdrawn", {**NO_CLAIM, "state": BriefState.NONE})


def release_brief(document: StoredDocument, call: Call) -> Decision:
    """Ends the caller's claim and offers the brief again."""
    if brief_state(document) != BriefState.CLAIMED:
        raise BriefNotOffered(f"There is no claim to release: {why_no_claim(document, call)}")
    _refuse_if_held_by_another(document, call)
    return change_brief(document, call, "brief.released", {**NO_CLAIM, "state": BriefState.READY})


def write_brief(
    document: StoredDocument, call: Call, fields: Mapping[str, Any], problems: Sequence[Problem] = ()
) -> Decision:
    """Sets fields of the brief, as `written_brief` gives them, and creates it where there is none.

    `problems` are what is wrong with the fields. Fields that are equal already change nothing.
    """
    refuse_if_guarded(document, call)
    call.pass_gates(document)
    if problems:
        raise BadRequest(errors=list(problems))
    before: Mapping[str, Any] = brief_of(document)
    if document.get("brief") is not None and all(before.get(name) == value for name, value in fields.items()):
        return Decision(document)
    return change_brief(document, call, "brief.updated", fields)


def _refuse_if_closed(document: StoredDocument, call: Call, *, offers: bool = False) -> None:
    """Refuses with `BriefClosed` what is past drafting; what to do depends on whether the caller claims or `offers`."""
    status, name = document["status"], call.name_of
    if status in OPEN:
        return
    back = "unschedule_document" if status == DocumentStatus.SCHEDULED else "request_changes"
    if status == DocumentStatus.PUBLISHED:
        then = f"change its text with {name('write_content')}, then {name('submit_document')}"
        then = f"What is published is revised without a claim: {'give a writer its id' if offers else then}"
    elif not offers:
        then = f"Claim another with {name('claim_next_brief')}"
    else:
        then = f"Take it back with {name(back)} first" if call.permits(back) else "A reviewer has to take it back first"
    can = "offered" if offers else "claimed"
    closed = f"The document is {status_words(document)}: its brief can be {can} once it is back in drafting."
    raise BriefClosed(f"{closed} {then}.")


def _refuse_if_held_by_another(document: StoredDocument, call: Call) -> None:
    if not holds_claim(brief_of(document).get("claimedBy"), call.token_id):
        refuse_if_claimed(document, call)


def _lease(call: Call, seconds: int | None) -> dict[str, Any]:
    expires = None if seconds is None else call.now + timedelta(seconds=seconds)
    return {"leaseSeconds": seconds, "claimExpiresAt": expires}
