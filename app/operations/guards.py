"""What keeps a caller from writing whatever the operation: a frozen project (decisions, section 13).

The runner of operations calls these; what only wants to know whether a call would be refused may call them too.
"""

from __future__ import annotations

from datetime import timedelta

from app.errors import ProjectFrozen
from app.operations.context import Context, this_instant
from app.rules.projects import Frozen, project_frozen
from app.vocabulary import Scope

FRESH = timedelta(seconds=1)
"""How long after its authentication a call goes by what was read then: up to 3 s before that, so 4 s in all."""


def if_frozen(ctx: Context) -> ProjectFrozen | None:
    """Returns the refusal of a write while the project is frozen; None where it is not, or the caller has `admin`."""
    frozen = None if Scope.ADMIN in ctx.caller.scopes else ctx.caller.frozen
    return project_frozen(frozen) if frozen else None


def refuse_if_frozen_meanwhile(ctx: Context) -> None:
    """Refuses a write that comes long after its authentication, or again, if the project was frozen since.

    A body may take minutes to arrive, and a write that loses to others is tried for seconds.
    """
    if Scope.ADMIN in ctx.caller.scopes or not (ctx.is_retry or this_instant() - ctx.now > FRESH):
        return
    frozen: Frozen | None = ctx.store.projects.settings(ctx.project_id).get("frozen")
    if frozen:
        raise project_frozen(frozen)
