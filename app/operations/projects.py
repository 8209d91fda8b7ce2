"""The token's project and its settings (decisions, section 5)."""

from collections.abc import Mapping
from typing import Any

from app.errors import BadRequest, PreconditionFailed
from app.fields.projects import ProjectChanges
from app.fields.stages import problems
from app.operations.context import Context
from app.operations.operation import Answer, Effect, operation
from app.records.projects import ProjectRecord, project_record
from app.rules.etags import record_tag
from app.rules.events import Event
from app.vocabulary import Scope


@operation(scope=Scope.READ, effect=Effect.READS, gives=ProjectRecord)
def get_project(ctx: Context) -> Answer:
    """Read the project that the token belongs to, with its settings."""
    return _answer(ctx.store.projects.settings(ctx.project_id))


@operation(
    scope=Scope.ADMIN,
    effect=Effect.CHANGES,
    takes=ProjectChanges,
    gives=ProjectRecord,
    refuses=(BadRequest, PreconditionFailed),
)
def update_project(ctx: Context, fields: Mapping[str, Any]) -> Answer:
    """Change the project's settings."""
    project = ctx.store.projects.settings(ctx.project_id)
    ctx.check_match(project)
    if wrong := problems(ProjectChanges, fields):
        raise BadRequest(errors=wrong)
    if not fields:
        return _answer(project)
    event = Event("project.updated", ctx.now, ctx.caller.actor)
    changed = ctx.store.projects.update(ctx.project_id, fields, event, ctx.now, ctx.if_match)
    return _answer(changed or project)


def _answer(project: Mapping[str, Any]) -> Answer:
    return Answer(project_record(project), etag=record_tag(project))
