"""Categories: listed, read, changed, deleted (decisions, section 5). They are made by confirming drafts."""

from app.errors import BadRequest, CategoryInUse, NotFound, Problem, ReviewRequired, or_raise
from app.operations.context import Context
from app.operations.guards import site_call
from app.operations.operation import Effect, Result, operation
from app.operations.references import lock_references
from app.responses.named import Category, category_record
from app.rules.etags import record_tag
from app.rules.events import Event
from app.rules.intents import TAKEN, new_category
from app.rules.named import StoredCategory
from app.rules.publishing import refuse_change_of_site
from app.rules.references import reference_problems
from app.schemas.loading import Fields, changed_fields, check
from app.schemas.named import CategoryChanges
from app.schemas.queries import LongPage
from app.vocabulary import Kind, Scope

NO_CATEGORY = "The project has no category with this id; list the categories to find it."


@operation(Scope.READ, Effect.READS, "GET /categories", query=LongPage, toolsets=("planning",))
def list_categories(ctx: Context, fields: Fields) -> Result[list[Category]]:
    """List the project's categories by name."""
    found = ctx.store.categories.list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Result([category_record(category, ctx.caller.team_id) for category in found])


@operation(Scope.READ, Effect.READS, "GET /categories/<id>", toolsets=("planning",))
def get_category(ctx: Context, category_id: str) -> Result[Category]:
    """Read a category."""
    return _result(ctx, _own_category(ctx, category_id))


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    "PATCH /categories/<id>",
    body=CategoryChanges,
    errors=(ReviewRequired, BadRequest),
    transaction=True,
    toolsets=("planning",),
    arguments_as="create_category_intent",
    next="`id` is the category, `categoryId` its parent.",
)
def update_category(ctx: Context, id_: str, fields: Fields) -> Result[Category]:
    """Change a category; null clears a field, but neither name nor slug.

    A category never becomes its own ancestor.
    """
    # Over MCP the id is `id`: `categoryId` is the field that names the parent.
    category = ctx.check_match(_own_category(ctx, id_))
    changes = changed_fields(category, fields, clearable=("description",))
    if changes:
        refuse_change_of_site(site_call(ctx))
    check(CategoryChanges, fields, *_problems(ctx, category, changes))
    if not changes:
        return _result(ctx, category)
    written = ctx.store.categories.update(ctx.project_id, category, changes, ctx.event("category.updated"))
    ctx.store.projects.delivery_changed(ctx.project_id)
    return _result(ctx, written)


@operation(
    Scope.PUBLISH,
    Effect.DESTROYS,
    "DELETE /categories/<id>",
    errors=(ReviewRequired, CategoryInUse),
    transaction=True,
    toolsets=("planning",),
)
def delete_category(ctx: Context, category_id: str) -> Result[Category]:
    """Delete a category that no document and no subcategory uses; the trash counts as no use.

    A document uses the category it is in, and the one that it is delivered in. The response is the category as it was.
    """
    category = ctx.check_match(_own_category(ctx, category_id))
    refuse_change_of_site(site_call(ctx))
    used = ctx.store.documents.has_filed_under(ctx.project_id, "categoryId", category["id"])
    used = used or ctx.store.publications.is_in_category(ctx.project_id, category["id"])
    if used or ctx.store.categories.has_subcategories(ctx.project_id, category["id"]):
        raise CategoryInUse
    ctx.store.categories.delete(ctx.project_id, category, ctx.event("category.deleted"))
    ctx.store.projects.delivery_changed(ctx.project_id)
    return _result(ctx, category)


def add_category(ctx: Context, fields: Fields, event: Event) -> StoredCategory:
    """Adds a category with fields that have no problem; inside a transaction."""
    record = new_category(fields, by=ctx.caller.actor, now=ctx.now)
    category = ctx.store.categories.add(ctx.project_id, record, event)
    ctx.store.projects.delivery_changed(ctx.project_id)
    return category


def _own_category(ctx: Context, category_id: str) -> StoredCategory:
    return or_raise(ctx.store.categories.get(ctx.project_id, category_id), NotFound, NO_CATEGORY)


def _result(ctx: Context, category: StoredCategory) -> Result[Category]:
    return Result(category_record(category, ctx.caller.team_id), etag=record_tag(category))


def _problems(ctx: Context, category: StoredCategory, changes: Fields) -> list[Problem]:
    """Returns what is wrong with changes besides their form: an unknown parent, a cycle, a slug that is taken."""
    found = lock_references(ctx.store, ctx.project_id, changes)
    wrong = list(reference_problems(changes, found))
    parent = changes.get("categoryId")
    if parent in found.categories:
        ctx.store.projects.guard_tree(ctx.project_id)
        if category["id"] in ctx.store.categories.get_ancestor_ids(ctx.project_id, parent):
            wrong.append(Problem(field="categoryId", message="A category can't be below itself."))
    if ctx.store.categories.find_same(ctx.project_id, changes, exclude=category["id"]):
        wrong.append(TAKEN[Kind.CATEGORY])
    return wrong
