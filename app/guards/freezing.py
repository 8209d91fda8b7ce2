"""Freezing a project: nothing but tokens with the scope `admin` can write (decisions, section 13)."""

from typing import Any, cast

from app.core.actors import StoredNote
from app.core.context import Context
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.vocabulary import Scope
from app.documents.store import Documents
from app.guards.schemas import FreezeFields
from app.projects.operations import project_result
from app.projects.responses import Project
from app.projects.rules import StoredProject
from app.projects.store import Projects


@operation(Scope.ADMIN, Effect.CHANGES, "POST /project/freeze", body=FreezeFields, transaction=True)
def freeze_project(ctx: Context, fields: Fields) -> Result[Project]:
    """Freeze the project: only tokens with the scope `admin` can write, within 5 seconds.

    Scheduled documents wait too.
    """
    project = ctx.check_match(ctx.store[Projects].settings(ctx.project_id))
    since = frozen_of(project) or StoredNote(note="", at=ctx.now, by=ctx.caller.actor)
    return _freeze(ctx, project, {**since, "note": fields.get("note") or ""}, "project.frozen")


@operation(Scope.ADMIN, Effect.CHANGES, "POST /project/unfreeze", transaction=True)
def unfreeze_project(ctx: Context) -> Result[Project]:
    """Unfreeze the project: tokens can write again, and what came due meanwhile is published."""
    project = ctx.check_match(ctx.store[Projects].settings(ctx.project_id))
    return _freeze(ctx, project, None, "project.unfrozen")


def frozen_of(project: StoredProject) -> StoredNote | None:
    """Returns why, since when and by whom a project is frozen; None where it is not."""
    return cast(StoredNote | None, project.get("frozen"))


def _freeze(ctx: Context, project: StoredProject, frozen: StoredNote | None, event: str) -> Result[Project]:
    """Writes to all documents that the worker may be publishing: each is published before, or sees the freeze."""
    if frozen == frozen_of(project):
        return project_result(ctx, project)
    changes: dict[str, Any] = {"frozen": frozen}
    changed = ctx.store[Projects].update(ctx.project_id, project, changes, ctx.event(event))
    ctx.store[Documents].lock_scheduled(ctx.project_id)
    return project_result(ctx, changed)
