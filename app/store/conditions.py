"""The tables of `rules` as MongoDB conditions and expressions, for atomic writes.

A claim whose lease has expired counts as ready from that instant: the conditions include it (`lease_expired_filter`),
and every write of a document records the expiry first (`expire_lease_stage`), so that nothing depends on a worker.
"""

from collections.abc import Collection
from datetime import datetime

from app.rules import documents
from app.rules.actors import SYSTEM
from app.rules.briefs import NO_CLAIM, OPEN, BriefMove, MoveRequest
from app.rules.events import Event
from app.store.collection import EntityTags, EventData, event_data_expressions, event_expression
from app.store.indexes import FIRST_DATE
from app.store.types import Bson
from app.vocabulary import BriefState, DocumentStatus

CHANGED_SINCE_PUBLISHED: Bson = {"isPublished": True, "$expr": {"$ne": ["$version", "$published.version"]}}

_IS_CLAIMED = {"$eq": ["$brief.state", BriefState.CLAIMED]}
_DRAFTED = {"$mergeObjects": ["$brief", {"$literal": {"state": BriefState.DRAFTED, **NO_CLAIM}}]}

FINISHED_BRIEF: Bson = {"$cond": [_IS_CLAIMED, _DRAFTED, "$brief"]}
"""The expression that makes a claimed brief drafted and leaves any other as it is, after `expire_lease_stage`."""

DOCUMENT_EVENT_DATA: EventData = (
    ("documentId", "_id", None),
    ("status", "status", None),
    ("version", "version", None),
    ("slug", "slug", None),
    ("briefState", "brief.state", BriefState.NONE),
)

_PUBLISHED, _DRAFTING = DocumentStatus.PUBLISHED, DocumentStatus.DRAFTING
_WAS_TAKEN_OFF = {"$and": [{"$eq": ["$statusBefore", _PUBLISHED]}, {"$eq": ["$isPublished", False]}]}

STATUS_ENTERED: dict[documents.Derived, Bson] = {
    documents.Derived.BEFORE: {"$cond": [_WAS_TAKEN_OFF, _DRAFTING, "$statusBefore"]},
    documents.Derived.UNLESS_PUBLISHED: {"$cond": [{"$eq": ["$status", _PUBLISHED]}, _DRAFTING, "$status"]},
}
"""The statuses that depend on the document, as expressions."""


def lease_expired_filter(now: datetime) -> Bson:
    """Returns the condition that a claim's lease has expired."""
    return {"brief.state": BriefState.CLAIMED, "brief.claimExpiresAt": {"$gt": FIRST_DATE, "$lte": now}}


def claim_active_filter(now: datetime) -> Bson:
    """Returns the condition that a brief is claimed, and the claim holds."""
    return {"brief.state": BriefState.CLAIMED, **unexpired_filter(now)}


def unexpired_filter(now: datetime) -> Bson:
    """Returns the condition that no lease has expired: there is none, or it still runs."""
    return {"brief.claimExpiresAt": {"$not": {"$lte": now}}}


def listed_brief_filters(states: Collection[BriefState], now: datetime, *, any_expired: bool) -> list[Bson]:
    """Returns conditions: a brief that is listed under one of the states now meets one of them.

    Ready briefs are listed while their document is open. Without expired leases, `any_expired`, a brief's stored state
    is its state, and each condition reads one part of an index.
    """
    while_open = {"status": {"$in": list(OPEN)}}
    others = [state for state in states if state != BriefState.READY]
    conditions: list[Bson] = []
    if others:
        conditions.append({"brief.state": {"$in": others}, **(unexpired_filter(now) if any_expired else {})})
    if BriefState.READY in states:
        conditions.append({"brief.state": BriefState.READY, **while_open})
        conditions += [{**lease_expired_filter(now), **while_open}] if any_expired else []
    return conditions


def brief_state_filter(states: Collection[BriefState], now: datetime, *, any_expired: bool) -> Bson:
    """Returns the condition for documents whose brief is in one of the states now; one without a brief is in `none`.

    `any_expired` is as in `listed_brief_filters`.
    """
    stored: Bson = {"brief.state": {"$in": [*states, *([None] if BriefState.NONE in states else [])]}}
    ready, claimed = BriefState.READY in states, BriefState.CLAIMED in states
    if not any_expired or ready == claimed:
        return stored
    if claimed:
        return stored | unexpired_filter(now)
    return {"$or": [stored, lease_expired_filter(now)]}


def brief_move_filter(move: BriefMove, request: MoveRequest) -> Bson:
    """Returns a row of the table of brief states as a condition."""
    claimed = claim_active_filter(request.now)
    if request.channel in move.by_holder:
        # A caller without a token holds no claim: with None the two conditions contradict, and nothing matches.
        claimed["brief.claimedBy.id"] = {"$eq": request.token_id, "$ne": None}
    branches = [claimed if state == BriefState.CLAIMED else {"brief.state": state} for state in move.leaves]
    if BriefState.READY in move.leaves:
        branches.append(lease_expired_filter(request.now))
    if BriefState.NONE in move.leaves:
        branches.append({"brief": None})
    return {"$or": branches} | ({"status": {"$in": list(OPEN)}} if move.while_open else {})


def status_move_filter(move: documents.StatusMove, request: MoveRequest, *, base_version: int | None) -> Bson:
    """Returns a row of the table of document statuses as a condition.

    What depends on other records (four eyes, checks) is checked before, on the `rev` that the write then names.
    """
    leaves: list[Bson] = [{"status": {"$in": list(move.leaves)}}]
    leaves += [{"status": status, **CHANGED_SINCE_PUBLISHED} for status in move.if_changed]
    conditions: list[Bson] = [{"$or": leaves}]
    if move.if_live:
        conditions.append({"isPublished": True})
    if move.guarded:
        conditions.append(not_guarded_filter(request))
    if base_version is not None:
        conditions.append({"version": base_version})
    approved = DocumentStatus.APPROVED
    if move.needs_approval and request.review_required:
        conditions.append({"$or": [{"status": approved}, {"statusBefore": approved}]})
    if move.needs_content:
        conditions.append({"contentId": {"$ne": None}})
    return {"$and": conditions}


def not_guarded_filter(request: MoveRequest) -> Bson:
    """Returns the condition that no claim guards the document against the caller: `if_guarded` as a condition."""
    guards: list[Bson] = []
    if request.is_by_agent:
        guards.append({**claim_active_filter(request.now), "brief.claimedBy.id": {"$ne": request.token_id}})
    if request.claimed_at is not None:
        guards.append({**claim_active_filter(request.now), "brief.claimedAt": {"$ne": request.claimed_at}})
    return {"$nor": guards} if guards else {}


def document_etag_filter(tags: EntityTags, now: datetime) -> Bson:
    """Returns the condition that a document is in a state that entity tags name, its claim included."""
    if tags is None:
        return {}
    states = [
        {
            "version": tag.version,
            "rev": tag.rev,
            **(lease_expired_filter(now) if tag.expired else {"$nor": [lease_expired_filter(now)]}),
        }
        for tag in tags
    ]
    return {"$or": states or [{"rev": None}]}  # without a tag of ours nothing matches, as every record has a `rev`


def expire_lease_stage(now: datetime) -> Bson:
    """Returns the stage that records an expired lease: the brief becomes ready, with an event."""
    expired = {
        "$and": [
            _IS_CLAIMED,
            {"$gt": ["$brief.claimExpiresAt", None]},
            {"$lte": ["$brief.claimExpiresAt", now]},
        ]
    }
    ready = {"$mergeObjects": ["$brief", {"$literal": {"state": BriefState.READY, **NO_CLAIM}}]}
    data = event_data_expressions(DOCUMENT_EVENT_DATA)
    event = event_expression(Event("brief.expired", now, SYSTEM, {"briefState": BriefState.READY}), data)
    return {
        "$set": {
            "brief": {"$cond": [expired, ready, "$brief"]},
            "outbox": {"$cond": [expired, {"$concatArrays": ["$outbox", [event]]}, "$outbox"]},
        }
    }
