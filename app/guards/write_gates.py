"""What refuses every write alike: a project's freeze, and a token's budget (decisions, section 13).

Both read the project and the token that authentication read anyway.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from app.core.actors import wire_note
from app.core.context import Context, this_instant
from app.core.features import WriteGate
from app.core.vocabulary import Scope
from app.guards.budgets import Budget, begins, if_exceeded, limits_of
from app.guards.errors import BudgetExceeded, ProjectFrozen
from app.guards.store import Budgets
from app.projects.store import Projects

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
