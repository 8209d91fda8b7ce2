"""The token's project and its settings (decisions, section 5)."""

from app.core.context import Caller, Context, system, this_instant
from app.core.errors import BadRequest, NotFound, Problem, or_raise
from app.core.operation import Effect, Result, operation
from app.core.records import record_tag
from app.core.schemas.loading import Fields, check
from app.core.store.collection import new_id
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.projects.responses import Project
from app.projects.rules import StoredProject, merged_views
from app.projects.schemas import MAX_VIEWS, ProjectChanges, ProjectFields, ViewsFields
from app.projects.store import Projects

TOO_MANY_VIEWS = f"A project has at most {MAX_VIEWS} saved views: delete one first."


@operation(Scope.READ, Effect.READS, "GET /project", toolsets=("planning", "reviewing", "admin"))
def get_project(ctx: Context) -> Result[Project]:
    """Read the project that the token belongs to, with its settings."""
    return project_result(ctx, ctx.store[Projects].settings(ctx.project_id))


@operation(Scope.ADMIN, Effect.CHANGES, "PATCH /project", body=ProjectChanges, errors=(BadRequest,), transaction=True)
def update_project(ctx: Context, fields: Fields) -> Result[Project]:
    """Change the project's settings."""
    project = ctx.check_match(ctx.store[Projects].settings(ctx.project_id))
    problems = ctx.features.problems(Project, ctx, project, fields)
    check(ctx.features.schema_of(ProjectChanges), fields, *problems)
    return _changed(ctx, project, ctx.features.to_stored(Project, project, fields))


@operation(
    Scope.WRITE, Effect.CHANGES, "PATCH /project/views", body=ViewsFields, errors=(BadRequest,), toolsets=("admin",)
)
def save_views(ctx: Context, fields: Fields) -> Result[Project]:
    """Save views under their names for everybody; a `query` of null deletes one."""
    project = ctx.check_match(ctx.store[Projects].settings(ctx.project_id))
    views = merged_views(project.get("views") or [], fields["views"])
    wrong = [Problem(field="views", message=TOO_MANY_VIEWS)] if len(views) > MAX_VIEWS else []
    check(ViewsFields, fields, *wrong)
    return _changed(ctx, project, {"views": views})


def create_project(store: Store, fields: Fields) -> Project:
    """Makes a project and returns its record; for the command line, as no token can be there before its project.

    Refuses with `BadRequest`. (decisions, section 10)
    """
    check(ProjectFields, fields)
    now = this_instant()
    project = {
        "teamId": fields.get("teamId", new_id()),
        "name": fields["name"],
        "reviewRequired": False,
        "siteUrl": None,
        "claimLeaseSeconds": None,
        "createdAt": now,
        "updatedAt": now,
    }
    created = store.in_transaction(lambda within: within[Projects].create(project))
    return store.features.record_of(Project, created)


def all_projects(store: Store) -> list[Project]:
    """Returns every project's record, the oldest first; for the command line."""
    return [store.features.record_of(Project, project) for project in store[Projects].all()]


def service_of(store: Store, project_id: str) -> Caller:
    """Returns the service itself as the caller in a project; for the command line.

    Refuses with `NotFound` when there is no such project.
    """
    missing = f"There is no project {project_id}: `content-workflow project list` lists them."
    project = or_raise(store[Projects].find(project_id), NotFound, missing)
    return system(project["id"], project["teamId"])


DELIVERED = frozenset({"name", "siteUrl", "categoryUrl"})
"""The settings that feeds and documents are delivered with."""


def _changed(ctx: Context, project: StoredProject, sent: Fields) -> Result[Project]:
    """Returns the project with those settings that differ written; an empty one is as an unset one."""
    changes = {name: value for name, value in sent.items() if (value or None) != (project.get(name) or None)}
    if changes:
        if not DELIVERED.isdisjoint(changes):
            ctx.store.change_delivery(ctx.project_id)
        project = ctx.store[Projects].update(ctx.project_id, project, changes, ctx.event("project.updated"))
    return project_result(ctx, project)


def project_result(ctx: Context, project: StoredProject) -> Result[Project]:
    """Returns a stored project as the result of an operation."""
    return Result(ctx.features.record_of(Project, project), etag=record_tag(project))
