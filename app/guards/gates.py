"""What the rules of documents need to know of a call: its claim, four eyes, and the demands of the project.

(decisions, section 13)
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from app.core.actors import Actor
from app.core.context import Context
from app.core.errors import Refusal
from app.core.schemas.loading import Fields
from app.documents.record import Call, StoredDocument
from app.documents.revision_store import Revisions
from app.guards.four_eyes import makers_of, same_eyes
from app.projects.rules import StoredProject
from app.projects.store import Projects
from app.projects.token_store import Tokens
from app.provenance.reviews import missing_of
from app.provenance.vocabulary import ReviewDemand


def refusal_of(
    ctx: Context, document: StoredDocument, rule: Callable[[StoredDocument, Call], object], call: Call
) -> Refusal | None:
    """Returns why a rule refuses a call on a document as it is now; None where it does not."""
    try:
        rule(document, call)
    except Refusal as refused:
        return refused
    return None


def call_under_claim(ctx: Context, fields: Fields) -> Call:
    """Returns the call with the claim that it is made under, where `fields` name one."""
    return replace(ctx.call, claimed_at=fields.get("claimedAt"))


def publishing_call(
    ctx: Context, document: StoredDocument, project: StoredProject | None = None, *, by: Actor | None = None
) -> Call:
    """Returns the call with the facts that the rules of publishing need; the project is read if it is not given.

    `by` is who scheduled the document, where the worker publishes it. `missing_review` of the call is what an otherwise
    complete approval by the caller would lack.
    """
    project = project or ctx.store[Projects].settings(ctx.project_id)
    required = project.get("reviewRecord") == ReviewDemand.REQUIRED
    missing = missing_of(ctx.call, {"facts": True, "examined": True}, required=True) if required else ()
    call = replace(
        ctx.call, review_required=project["reviewRequired"] or required, review_record=required, missing_review=missing
    )
    return replace(call, same_eyes=_same_eyes(ctx, document, by or call.actor)) if project.get("fourEyes") else call


def site_call(ctx: Context) -> Call:
    """Returns the call with whether it may change what the site shows at once; an agent's name is the token's own."""
    if not ctx.caller.agent:
        return ctx.call
    project = ctx.store[Projects].settings(ctx.project_id)
    record = project.get("reviewRecord") == ReviewDemand.REQUIRED
    demanding = project["reviewRequired"] or record or project.get("fourEyes", False)
    return replace(ctx.call, may_not_change_site=bool(demanding))


def _same_eyes(ctx: Context, document: StoredDocument, asker: Actor) -> Actor | None:
    """Returns the author of the document's version, else its last submitter, if that counts as the caller.

    Of a document in the trash the version that was live counts too, which would be live again.
    """
    if (token_id := asker["id"]) is None:
        return None
    live = document.get("published") if document["deletedAt"] is not None else None
    find = partial(ctx.store[Revisions].get, ctx.project_id, document["id"])
    find_read_before = partial(ctx.store[Revisions].find_read_before, ctx.project_id, document["id"])
    versions = [document["version"], *([live["version"]] if live else [])]
    makers = [by for version in versions for by in makers_of(version, find, find_read_before)]
    submitted_by = document.get("submittedBy")
    actors = [*makers, *([submitted_by] if submitted_by else [])]
    token_ids = [token_id, *(by["id"] for by in actors if by["id"])]
    agents: dict[str, str] = {}
    if asker["agent"] and any(by["agent"] == asker["agent"] and by["id"] != token_id for by in actors):
        agents = ctx.store[Tokens].get_agents(ctx.project_id, token_ids)
    is_scheduled = token_id != ctx.caller.token_id
    may_be_connection = is_scheduled or ctx.caller.is_connection
    granters = ctx.store[Tokens].get_granters(ctx.project_id, token_ids) if may_be_connection else {}
    return same_eyes(token_id, makers, submitted_by, agents, granters)
