"""Four eyes, agents and the site, a project's freeze, and a token's budget (decisions, section 13).

Freeze and budget refuse every write alike; both read the project and the token that authentication read anyway.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from app.core.actors import Actor, wire_note
from app.core.calls import Call
from app.core.context import Context, this_instant
from app.core.errors import ReviewRequired
from app.core.features import Gate, WriteGate
from app.core.vocabulary import Channel, Scope
from app.documents.gates import requires_review
from app.documents.record import StoredDocument
from app.documents.store import Revisions
from app.guards.budgets import Budget, begins, if_exceeded, limits_of
from app.guards.errors import BudgetExceeded, FourEyes, ProjectFrozen
from app.guards.four_eyes import makers_of, persons_of, same_eyes
from app.guards.store import Budgets
from app.projects.gates import Attempt
from app.projects.store import Projects
from app.projects.token_store import Tokens

SCHEDULED_BY_MAKER = (
    "The project demands four eyes, and this version was made or submitted by who scheduled it: somebody else has to "
    "schedule or publish it."
)
SHOWN_AT_ONCE = (
    "The website would show this at once, without a review: in this project an agent can't change categories, nor the "
    "author of a document that is live. Ask an editor to do it."
)


def refuse_same_eyes(same: Actor | None, document: StoredDocument, call: Call) -> None:
    """Refuses with `FourEyes` where the author or submitter of the version counts as the caller."""
    if same is not None:
        raise FourEyes(SCHEDULED_BY_MAKER if call.channel == Channel.WORKER else None, by=same)


def refuse_change_of_site(is_demanding: bool, record: object, call: Call) -> None:
    """Refuses with `ReviewRequired` what the site would show without a publication."""
    if is_demanding:
        raise ReviewRequired(SHOWN_AT_ONCE)


def _read_same_eyes(attempt: Attempt) -> Actor | None:
    demanded = attempt.project.get("fourEyes")
    return _same_eyes(attempt.ctx, attempt.record, attempt.call.actor) if demanded else None


def _read_of_trashed(attempt: Attempt) -> Actor | None:
    was_live = attempt.record["deletedAt"] is not None and attempt.record["isPublished"]
    return _read_same_eyes(attempt) if was_live else None


def _same_eyes(ctx: Context, document: Any, asker: Actor) -> Actor | None:
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
    token_ids = {token_id, *(by["id"] for by in actors if by["id"])}
    tokens = ctx.store[Tokens].with_granters(ctx.project_id, token_ids)
    return same_eyes(token_id, makers, submitted_by, persons_of(tokens))


def _is_demanding(attempt: Attempt) -> bool:
    """Returns whether an agent, by its token's own name, calls in a project that demands a review or four eyes."""
    return bool(attempt.ctx.caller.agent) and (requires_review(attempt) or bool(attempt.project.get("fourEyes")))


def _is_demanding_of_author(attempt: Attempt) -> bool:
    changes_site = attempt.record["isPublished"] and "authorId" in (attempt.fields or {})
    return changes_site and _is_demanding(attempt)


FOUR_EYES = Gate(
    ("approve_document", "schedule_document", "publish_document"),
    read=_read_same_eyes,
    refuse=refuse_same_eyes,
    errors=(FourEyes,),
)
FOUR_EYES_OF_RESTORED = Gate(("restore_document",), read=_read_of_trashed, refuse=refuse_same_eyes)
"""Keeps a restored document off the website, and refuses nothing."""
CATEGORIES = Gate(
    ("update_category", "delete_category"),
    read=_is_demanding,
    refuse=refuse_change_of_site,
    errors=(ReviewRequired,),
)
AUTHORS = Gate(
    ("update_document",), read=_is_demanding_of_author, refuse=refuse_change_of_site, errors=(ReviewRequired,)
)


FRESH = timedelta(seconds=1)
"""How long a call may rely on its authentication, which may rely on a read of `CACHED_SECONDS` before: so a freeze
holds for all within the 5 seconds that are promised."""


def if_frozen(project: Mapping[str, Any]) -> ProjectFrozen | None:
    """Returns the refusal of a write while the project is frozen; None where it is not."""
    frozen = wire_note(project.get("frozen"))
    return ProjectFrozen(**frozen) if frozen else None


def refuse_if_frozen(ctx: Context) -> None:
    """Refuses a write with `ProjectFrozen` while the project is frozen, but for the scope `admin`."""
    if Scope.ADMIN not in ctx.caller.scopes and (frozen := if_frozen(ctx.caller.project)):
        raise frozen


def refuse_if_frozen_meanwhile(ctx: Context) -> None:
    """Refuses a write that comes long after its authentication, or again, if the project was frozen since.

    A body may take minutes to arrive, and a write that loses to others is tried for seconds.
    """
    if Scope.ADMIN in ctx.caller.scopes or not (ctx.tries or this_instant() - ctx.now > FRESH):
        return
    if frozen := if_frozen(ctx.store[Projects].settings(ctx.project_id)):
        raise frozen


def if_over_budget(ctx: Context) -> Mapping[bool, BudgetExceeded | None]:
    """Returns the refusal of a call that would change something, by whether it also publishes; None where the token's
    budget allows it."""
    if (budget := _budget(ctx)) is None:
        return {}
    since = {limit: begins(limit, ctx.now) for limit in limits_of(budget, publishes=True)}
    used = ctx.store[Budgets].used(ctx.project_id, ctx.token_id, since)
    counts = {limit: number + 1 for limit, number in used.items()}
    return {publishes: if_exceeded(budget, counts, ctx.now, publishes=publishes) for publishes in (False, True)}


def spend_budget(ctx: Context, publishes: bool) -> None:
    """Counts a call that changed something, inside its transaction; refuses with `BudgetExceeded` beyond the budget."""
    if (budget := _budget(ctx)) is None:
        return
    counts = {
        limit: ctx.store[Budgets].spend(ctx.project_id, ctx.token_id, limit, begins(limit, ctx.now))
        for limit in limits_of(budget, publishes=publishes)
    }
    if exceeded := if_exceeded(budget, counts, ctx.now, publishes=publishes):
        raise exceeded


def _budget(ctx: Context) -> Budget | None:
    return ctx.caller.token.get("budget")


FREEZE = WriteGate(
    "guards",
    errors=lambda operation: () if operation.scope == Scope.ADMIN else (ProjectFrozen,),
    permit=refuse_if_frozen,
    before=refuse_if_frozen_meanwhile,
    closes=if_frozen,
)
BUDGET = WriteGate(
    "guards",
    errors=lambda operation: (BudgetExceeded,),
    needs_transaction=lambda ctx: _budget(ctx) is not None,
    after=spend_budget,
    ask=if_over_budget,
)
