"""Categories: listed, read, changed, deleted (decisions, section 5). They are made by confirming drafts."""

from functools import partial

from app.categories.references import lock_references, reference_problems
from app.categories.responses import Category
from app.categories.rules import TAKEN, StoredCategory, new_category
from app.categories.schemas import CategoryChanges
from app.categories.store import Categories
from app.core.context import Context
from app.core.errors import BadRequest, CategoryInUse, NotFound, Problem, or_raise
from app.core.events import Event
from app.core.operation import Effect, Result, operation
from app.core.records import record_of, record_tag
from app.core.schemas.loading import Fields, changed_fields, check
from app.core.schemas.queries import LongPage
from app.core.vocabulary import Kind, Scope
from app.projects.gates import Attempt
from app.projects.store import Projects

filing_operation = partial(operation, toolsets=("planning",))
"""Declares an operation on categories or clusters."""

NO_CATEGORY = ("The project has no category with this id", "categoryId", "list the categories to find it")


@filing_operation(Scope.READ, Effect.READS, "GET /categories", query=LongPage)
def list_categories(ctx: Context, fields: Fields) -> Result[list[Category]]:
    """List the project's categories by name."""
    found = ctx.store[Categories].list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Result([record_of(Category, category, teamId=ctx.caller.team_id) for category in found])


@filing_operation(Scope.READ, Effect.READS, "GET /categories/<id>")
def get_category(ctx: Context, category_id: str) -> Result[Category]:
    """Read a category."""
    return _result(ctx, _own_category(ctx, category_id))


@filing_operation(
    Scope.WRITE,
    Effect.CHANGES,
    "PATCH /categories/<id>",
    body=CategoryChanges,
    errors=(BadRequest,),
    transaction=True,
    arguments_as="create_category_intent",
    next="`id` is the category, `categoryId` its parent.",
)
def update_category(ctx: Context, id_: str, fields: Fields) -> Result[Category]:
    """Change a category; null clears a field, but neither name nor slug."""
    # Over MCP the id is `id`: `categoryId` is the field that names the parent.
    category = ctx.check_match(_own_category(ctx, id_))
    changes = changed_fields(category, fields, clearable=("description",))
    if changes:
        Attempt(ctx, category, ctx.call, changes).call_for("update_category").pass_gates(category)
    check(CategoryChanges, fields, *_problems(ctx, category, changes))
    if not changes:
        return _result(ctx, category)
    ctx.store.change_delivery(ctx.project_id, "categories")
    event = ctx.event("category.updated")
    return _result(ctx, ctx.store[Categories].update(ctx.project_id, category, changes, event))


@filing_operation(
    Scope.PUBLISH,
    Effect.DESTROYS,
    "DELETE /categories/<id>",
    errors=(CategoryInUse,),
    transaction=True,
    prepare=lambda ctx, record_id: ctx.store[Categories].announce_deletion(ctx.project_id, record_id),
)
def delete_category(ctx: Context, category_id: str) -> Result[Category]:
    """Delete a category that no document and no subcategory uses; the trash counts as no use."""
    category = ctx.check_match(_own_category(ctx, category_id))
    Attempt(ctx, category, ctx.call).call_for("delete_category").pass_gates(category)
    used = ctx.features.uses(ctx, "categoryId", category["id"])
    if used or ctx.store[Categories].has_subcategories(ctx.project_id, category["id"]):
        raise CategoryInUse
    ctx.store.change_delivery(ctx.project_id, "categories")
    ctx.store[Categories].delete(ctx.project_id, category, ctx.event("category.deleted"))
    return _result(ctx, category)


def add_category(ctx: Context, fields: Fields, event: Event) -> StoredCategory:
    """Adds a category with fields that have no problem; inside a transaction."""
    record = new_category(fields, by=ctx.caller.actor, now=ctx.now)
    ctx.store.change_delivery(ctx.project_id, "categories")
    ctx.store[Projects].conflict_on(ctx.project_id, "categories")  # which makes their cap exact
    return ctx.store[Categories].add(ctx.project_id, record, event)


def _own_category(ctx: Context, category_id: str) -> StoredCategory:
    return or_raise(ctx.store[Categories].get(ctx.project_id, category_id), NotFound, *NO_CATEGORY)


def _result(ctx: Context, category: StoredCategory) -> Result[Category]:
    return Result(record_of(Category, category, teamId=ctx.caller.team_id), etag=record_tag(category))


def _problems(ctx: Context, category: StoredCategory, changes: Fields) -> list[Problem]:
    """Returns what is wrong with changes besides their form: an unknown parent, a cycle, a slug that is taken."""
    found = lock_references(ctx.store, ctx.project_id, changes)
    wrong = list(reference_problems(changes, found))
    parent = changes.get("categoryId")
    if parent in found.categories:
        ctx.store[Projects].conflict_on(ctx.project_id, "treeMoves")
        if category["id"] in ctx.store[Categories].get_ancestor_ids(ctx.project_id, parent):
            wrong.append(Problem(field="categoryId", message="A category can't be below itself."))
    if ctx.store[Categories].find_same(ctx.project_id, changes, exclude=category["id"]):
        wrong.append(TAKEN[Kind.CATEGORY])
    return wrong
