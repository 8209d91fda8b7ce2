"""Briefs: written, offered, claimed by exactly one token, released (contract: Briefs; decisions, section 6).

An operation reads the document, the rule of the same name decides, and one atomic write makes it so, on the condition
that nobody wrote the document meanwhile. If somebody did, the operation runs again.
"""

import hashlib
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

from app.briefs import rules
from app.briefs.responses import BriefDetail, BriefItem, ClaimedDocument, ClaimedSummary, brief_detail, brief_item
from app.briefs.rules import write_brief
from app.briefs.schemas import BriefQuery, ClaimFields, ClaimNextFields, RenewFields
from app.categories.references import ExistingRecords, link_problems
from app.categories.store import Categories
from app.core.calls import Call
from app.core.context import Context
from app.core.errors import BadRequest, BriefClaimed, BriefClosed, BriefNotOffered, BriefNotReady, NoBriefReady, Problem
from app.core.operation import Effect, Result, operation
from app.core.records import tag_of
from app.core.schemas.loading import Fields, cached_schema, in_order, problems
from app.core.schemas.validation import HEX_ID
from app.core.vocabulary import BriefState, Scope
from app.documents.operations import change_document, document_change, document_result, own_document, write_decision
from app.documents.record import Decision, StoredDocument, brief_of, expire_lease, refuse_if_guarded, written_brief
from app.documents.responses import DocumentSummary, minimal_record
from app.documents.schemas import BriefFields
from app.documents.store import Documents
from app.projects.gates import Attempt
from app.projects.store import Projects

_brief_change = partial(document_change, Scope.WRITE, tag="briefs")

MOST_SPREAD = 100
"""Maximum number of ready briefs among which a caller chooses after losing the one due soonest to another caller."""


@operation(
    Scope.READ,
    Effect.READS,
    "GET /briefs",
    query=BriefQuery,
    toolsets=("writing", "planning", "reviewing"),
    next="Yours after a restart: `state` `claimed`, if `isYours`; then `get_work_packet`.",
)
def list_briefs(ctx: Context, fields: Fields) -> Result[list[BriefItem]]:
    """List briefs, by default the ready ones, due soonest first."""
    states = [BriefState(state) for state in fields["state"]]
    found = ctx.store[Documents].list_briefs(ctx.project_id, states, limit=fields["limit"], offset=fields["offset"])
    filed = {category_id for document in found if (category_id := document.get("categoryId"))}
    names = ctx.store[Categories].names(ctx.project_id, filed)
    return Result([brief_item(document, names, ctx.call.token_id) for document in found])


@operation(Scope.READ, Effect.READS, "GET /documents/<id>/brief", tag="briefs", toolsets=("planning", "reviewing"))
def get_brief(ctx: Context, document_id: str) -> Result[BriefDetail]:
    """Read a document's brief with its category and the documents to link to.

    `version` is the `baseVersion` for the first content write; `brief` is null when none was written.
    """
    document = own_document(ctx, document_id)
    category_id = document.get("categoryId")
    category = ctx.store[Categories].get(ctx.project_id, category_id) if category_id else None
    links = ctx.store[Documents].get_links(ctx.project_id, brief_of(document).get("internalLinks") or ())
    body = brief_detail(ctx, document, category, links)
    shown = hashlib.blake2b(orjson.dumps(body), digest_size=8).hexdigest()  # more than the document that is tagged
    return Result(body, etag=f"{tag_of(document)}.{shown}")


@_brief_change(
    "PUT /documents/<id>/brief",
    body=BriefFields,
    errors=(BriefClaimed, BadRequest),
    rule=refuse_if_guarded,
    toolsets=("planning",),
    arguments_as="update_brief",
    next="To change single fields use `update_brief`.",
)
def replace_brief(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Write a document's brief whole; fields that are not sent are cleared.

    It overwrites what others changed since you read it.
    """
    return _write(ctx, document_id, {name: fields.get(name) for name in cached_schema(BriefFields).fields})


@_brief_change(
    "PATCH /documents/<id>/brief",
    body=BriefFields,
    errors=(BriefClaimed, BadRequest),
    rule=refuse_if_guarded,
    toolsets=("planning",),
)
def update_brief(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Change fields of a document's brief; null clears one, those that are not sent stay."""
    return _write(ctx, document_id, fields)


@_brief_change(
    "POST /documents/<id>/brief/ready",
    errors=(BriefClaimed, BriefClosed),
    rule=rules.mark_brief_ready,
    toolsets=("planning", "reviewing"),
    next="Next: a writer takes it with `claim_next_brief`.",
    button="Offer brief",
)
def mark_brief_ready(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Offer a document's brief to writers: it is listed as ready and can be claimed.

    A claimed brief has to be withdrawn first.
    """
    return _change(ctx, document_id, partial(rules.mark_brief_ready, call=ctx.call))


@_brief_change(
    "POST /documents/<id>/brief/claim",
    body=ClaimFields,
    with_texts=ClaimedDocument,
    errors=(BriefClaimed, BriefClosed, BriefNotReady),
    rule=rules.claim_brief,
    toolsets=("writing",),
    button="Claim brief",
)
def claim_brief(ctx: Context, document_id: str, fields: Fields) -> Result[ClaimedSummary]:
    """Claim a ready brief, so that nobody else writes the document.

    The claim ends with a submit, a withdrawal, or its lease.
    """
    return _claim(ctx, own_document(ctx, document_id), fields)


@_brief_change(
    "POST /briefs/claim",
    body=ClaimNextFields,
    with_texts=ClaimedDocument,
    errors=(NoBriefReady,),
    toolsets=("writing",),
    arguments_as="claim_brief",
    next="Each call claims another brief, so retry with the same `idempotencyKey`.",
    button="Claim brief",
)
def claim_next_brief(ctx: Context, fields: Fields) -> Result[ClaimedSummary]:
    """Claim the ready brief that is due soonest."""
    filters = {name: fields[name] for name in ("categoryId", "clusterId") if name in fields}
    # A caller that lost a brief chooses among the next ones, since others are about to claim the first.
    spread = min(8 ** (ctx.tries + ctx.store.lost_to_others), MOST_SPREAD)
    ready = ctx.store[Documents].next_ready(ctx.project_id, filters, limit=spread)
    if ready:
        return _claim(ctx, random.choice(ready), fields)
    for name, lists in (("categoryId", "list_categories"), ("clusterId", "list_clusters")):
        if name in filters and not HEX_ID.fullmatch(filters[name]):
            message = f"`{name}` is no id, which has 24 hexadecimal digits: find it with {ctx.name_of(lists)}."
            raise NoBriefReady(message)
    if filters:
        names = " and ".join(f"`{name}`" for name in filters)
        raise NoBriefReady(f"No brief is ready with this {names}: check the id, try again later, or leave it out.")
    offer = f", or offer one with {ctx.name_of('mark_brief_ready')}" if ctx.permits("mark_brief_ready") else ""
    raise NoBriefReady(f"No brief is ready: try again later{offer}.")


@_brief_change(
    "POST /documents/<id>/brief/renew",
    body=RenewFields,
    errors=(BriefClaimed,),
    rule=rules.renew_claim,
    toolsets=("writing",),
    minimal=lambda record: {**minimal_record(record), "claimExpiresAt": record["brief"]["claimExpiresAt"]},
    each_call_counts=True,
)
def renew_claim(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Renew your claim's lease."""
    seconds = fields.get("leaseSeconds")
    return _change(ctx, document_id, partial(rules.renew_claim, call=ctx.call, lease_seconds=seconds))


@_brief_change(
    "POST /documents/<id>/brief/withdraw",
    errors=(BriefNotOffered, BriefClaimed),
    rule=rules.withdraw_brief,
    toolsets=("planning",),
    next="It takes the brief out of the queue; `mark_brief_ready` offers it again.",
    button="Withdraw brief",
)
def withdraw_brief(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Withdraw a brief: end its offer, or release its claim.

    Over MCP only its holder can release a claim.
    """
    return _change(ctx, document_id, partial(rules.withdraw_brief, call=ctx.call))


@_brief_change(
    "POST /documents/<id>/brief/release",
    errors=(BriefNotOffered, BriefClaimed),
    rule=rules.release_brief,
    toolsets=("writing",),
    button="Release brief",
)
def release_brief(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Release your claim and offer the brief again."""
    return _change(ctx, document_id, partial(rules.release_brief, call=ctx.call))


def end_expired_claim(ctx: Context, document: StoredDocument) -> None:
    """Ends a claim whose lease has run out. Raises `WriteConflict` where the document was written meanwhile."""
    expired = expire_lease(document, ctx.call)
    ctx.store[Documents].change(ctx.project_id, document, expired.document, expired.events)


def brief_problems(fields: Fields, found: ExistingRecords, document_id: str) -> list[Problem]:
    """Returns everything that is wrong with fields of a document's brief, sorted by field."""
    links = link_problems(fields.get("internalLinks"), found, itself=document_id.lower())
    return in_order([*problems(BriefFields, fields), *links])


def _change(ctx: Context, document_id: str, rule: Callable[[StoredDocument], Decision]) -> Result[DocumentSummary]:
    return change_document(ctx, own_document(ctx, document_id), rule)


def _claim(ctx: Context, document: StoredDocument, fields: Fields) -> Result[ClaimedSummary]:
    """Claims a brief, for the lease that was sent or the project's; returns it with what features add to claims."""
    seconds = fields.get("leaseSeconds")
    if seconds is None:
        project = ctx.caller.project or ctx.store[Projects].recent_settings(ctx.project_id)
        seconds = project.get("claimLeaseSeconds")
    rule = partial(rules.claim_brief, call=ctx.call, lease_seconds=seconds)
    claimed = write_decision(ctx, ctx.check_match(document), rule)
    result: Result[Any] = document_result(ctx, claimed)
    return replace(result, body={**result.body, **ctx.features.presented(ctx, "claim_brief", claimed, fields)})


def _write(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    links = ctx.store[Documents].find_existing(ctx.project_id, fields.get("internalLinks") or ())
    wrong = brief_problems(fields, ExistingRecords(documents=links), document_id)
    document, written = own_document(ctx, document_id), written_brief(fields)
    call = brief_call(ctx, document, written)
    return change_document(ctx, document, partial(write_brief, call=call, fields=written, problems=wrong))


def brief_call(ctx: Context, document: StoredDocument, written: Fields) -> Call:
    """Returns the call with the gates of a write of a brief."""
    return Attempt(ctx, document, ctx.call, written, recent=True).call_for("update_brief")
