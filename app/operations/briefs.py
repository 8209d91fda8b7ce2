"""Briefs: written, offered, claimed by exactly one token, released (contract: Briefs; decisions, section 6).

A move of a brief is one atomic write on the condition that the move is allowed. When that matches no document, the
document is read to find the reason. If there is none, another request wrote in between, and the operation runs again.
"""

from datetime import timedelta
from typing import Any

from app.errors import (
    BadRequest,
    BriefClaimed,
    BriefClosed,
    BriefNotOffered,
    BriefNotReady,
    NoBriefReady,
    Problem,
    WriteConflict,
    or_raise,
)
from app.fields.briefs import BriefFields, BriefQuery, ClaimFields, ClaimNextFields, RenewFields
from app.fields.loading import Fields, cached_schema, in_order, problems
from app.operations.context import Context
from app.operations.documents import document_change, document_result, own_document
from app.operations.operation import Effect, Result, operation
from app.records.briefs import BriefDetail, BriefItem, brief_detail, brief_item
from app.records.documents import DocumentSummary
from app.rules.briefs import (
    CLAIM,
    NO_CLAIM,
    READY,
    RELEASE,
    RENEW,
    WITHDRAW,
    BriefMove,
    brief_of,
    first_refusal,
    needs_no_move,
    written_brief,
)
from app.rules.documents import if_guarded
from app.rules.etags import document_tag
from app.rules.references import ExistingRecords, link_problems
from app.vocabulary import BriefState, Scope


@operation(Scope.READ, Effect.READS, query=BriefQuery)
def list_briefs(ctx: Context, fields: Fields) -> Result[list[BriefItem]]:
    """List briefs, by default those that are ready to be claimed.

    Due soonest first, those without a due date last; ready briefs of documents past drafting are left out.
    """
    states = [BriefState(state) for state in fields["state"]]
    found = ctx.store.briefs.list(ctx.project_id, states, ctx.now, limit=fields["limit"], offset=fields["offset"])
    filed = {category_id for document in found if (category_id := document.get("categoryId"))}
    names = ctx.store.categories.get_names(ctx.project_id, filed)
    return Result([brief_item(document, names, ctx.now) for document in found])


@operation(Scope.READ, Effect.READS)
def get_brief(ctx: Context, document_id: str) -> Result[BriefDetail]:
    """Read a document's brief with its category and the documents to link to.

    `version` is the `baseVersion` for the first content write; `brief` is null when none was written.
    """
    document = own_document(ctx, document_id)
    category_id = document.get("categoryId")
    category = ctx.store.categories.get(ctx.project_id, category_id) if category_id else None
    links = ctx.store.documents.get_links(ctx.project_id, brief_of(document).get("internalLinks") or ())
    body = brief_detail(document, category, links, ctx.now)
    return Result(body, etag=document_tag(document, ctx.now), etag_covers_body=True)


@document_change(Scope.WRITE, body=BriefFields, errors=(BriefClaimed, BadRequest), refusals=(if_guarded,))
def replace_brief(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Write a document's brief whole; fields that are not sent are cleared.

    The brief's state stays as it is.
    """
    return _write(ctx, document_id, {name: fields.get(name) for name in cached_schema(BriefFields).fields})


@document_change(Scope.WRITE, body=BriefFields, errors=(BriefClaimed, BadRequest), refusals=(if_guarded,))
def update_brief(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Change fields of a document's brief; null clears one, those that are not sent stay.

    The brief's state stays as it is.
    """
    return _write(ctx, document_id, fields)


@document_change(Scope.WRITE, errors=(BriefClaimed, BriefClosed), refusals=READY.refusals)
def mark_brief_ready(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Offer a document's brief to writers: it is listed as ready and can be claimed.

    A claimed brief has to be withdrawn first.
    """
    return _move(ctx, document_id, READY, {})


@document_change(
    Scope.WRITE, body=ClaimFields, errors=(BriefClaimed, BriefClosed, BriefNotReady), refusals=CLAIM.refusals
)
def claim_brief(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Claim a ready brief, so that nobody else writes the document.

    Of several callers one succeeds. The document's status becomes `drafting`. The claim ends when the document is
    submitted, approved, scheduled or published, when it is withdrawn, or when `leaseSeconds` pass without a renewal.
    """
    return _move(ctx, document_id, CLAIM, _claim_fields(ctx, fields))


@document_change(Scope.WRITE, body=ClaimNextFields, errors=(NoBriefReady,))
def claim_next_brief(ctx: Context, fields: Fields) -> Result[DocumentSummary]:
    """Claim the ready brief that is due soonest.

    Each of several callers gets another brief.
    """
    filters = {name: fields[name] for name in ("categoryId", "clusterId") if name in fields}
    event = ctx.event(CLAIM.event)
    claim = _claim_fields(ctx, fields)
    document = ctx.store.briefs.claim_next(ctx.project_id, filters, ctx.now, claim, event)
    if document is None and filters:
        names = " and ".join(f"`{name}`" for name in filters)
        raise NoBriefReady(f"No brief is ready with this {names}: check the id, try again later, or leave it out.")
    return document_result(ctx, or_raise(document, NoBriefReady))


@document_change(Scope.WRITE, body=RenewFields, errors=(BriefClaimed,), refusals=RENEW.refusals)
def renew_claim(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Renew your claim's lease.

    Only the holder can. After the lease expired the claim is lost; claim the brief again.
    """
    seconds = fields.get("leaseSeconds")
    if seconds is None:
        seconds = brief_of(own_document(ctx, document_id)).get("leaseSeconds")
    return _move(ctx, document_id, RENEW, _lease_fields(ctx, seconds))


@document_change(Scope.WRITE, errors=(BriefNotOffered, BriefClaimed), refusals=WITHDRAW.refusals)
def withdraw_brief(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Withdraw a brief: end its offer, or release its claim.

    The brief's state becomes `none`. Over REST any token can release a claim, over MCP only its holder.
    """
    return _move(ctx, document_id, WITHDRAW, NO_CLAIM)


@document_change(Scope.WRITE, errors=(BriefNotOffered, BriefClaimed), refusals=RELEASE.refusals)
def release_brief(ctx: Context, document_id: str) -> Result[DocumentSummary]:
    """Release your claim and offer the brief again, in one step.

    Only the holder can. What was written stays.
    """
    return _move(ctx, document_id, RELEASE, NO_CLAIM)


def _move(ctx: Context, document_id: str, move: BriefMove, changes: Fields) -> Result[DocumentSummary]:
    """Makes a move of a document's brief, with `changes` of the brief."""
    moved = ctx.store.briefs.move(
        ctx.project_id,
        document_id,
        move,
        ctx.move_request,
        changes=changes,
        event=ctx.event(move.event),
        tags=ctx.if_match,
    )
    if moved is not None:
        return document_result(ctx, moved)
    document = ctx.check_match(own_document(ctx, document_id))
    if refused := first_refusal(move.refusals, document, ctx.move_request):
        raise refused
    if needs_no_move(move, document, ctx.move_request):
        return document_result(ctx, document)
    raise WriteConflict


def _claim_fields(ctx: Context, fields: Fields) -> dict[str, Any]:
    """Returns the fields of the brief that a claim by the caller writes."""
    seconds = fields.get("leaseSeconds")
    if seconds is None:
        seconds = ctx.store.projects.recent_settings(ctx.project_id).get("claimLeaseSeconds")
    return {"claimedBy": ctx.caller.actor, "claimedAt": ctx.now, **_lease_fields(ctx, seconds)}


def _lease_fields(ctx: Context, seconds: int | None) -> dict[str, Any]:
    return {"leaseSeconds": seconds, "claimExpiresAt": seconds and ctx.now + timedelta(seconds=seconds)}


def _write(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    links = ctx.store.documents.find_existing(ctx.project_id, fields.get("internalLinks") or ())
    wrong, written = brief_problems(fields, ExistingRecords(documents=links), document_id), written_brief(fields)
    if not wrong:
        event = ctx.event("brief.updated")
        changed = ctx.store.briefs.write(ctx.project_id, document_id, written, ctx.move_request, event, ctx.if_match)
        if changed is not None:
            return document_result(ctx, changed)
    document = ctx.check_match(own_document(ctx, document_id))
    if refused := if_guarded(document, ctx.move_request):
        raise refused
    if wrong:
        raise BadRequest(errors=wrong)
    brief = document.get("brief")
    if brief is None or any(brief.get(name) != value for name, value in written.items()):
        raise WriteConflict  # the document has changed since: a claim that guarded it has ended, say
    return document_result(ctx, document)


def brief_problems(fields: Fields, found: ExistingRecords, document_id: str) -> list[Problem]:
    """Returns everything that is wrong with fields of a document's brief, sorted by field."""
    links = link_problems(fields.get("internalLinks"), found, itself=document_id.lower())
    return in_order([*problems(BriefFields, fields), *links])
