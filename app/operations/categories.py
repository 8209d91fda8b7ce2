"""Categories (decisions, section 5)."""

from collections.abc import Mapping
from typing import Any

from app.fields.queries import LongPage
from app.operations.context import Context
from app.operations.operation import Answer, Effect, operation
from app.records.categories import CategoryRecord, category_record
from app.vocabulary import Scope


@operation(scope=Scope.READ, effect=Effect.READS, query=LongPage, gives=CategoryRecord, many=True)
def list_categories(ctx: Context, fields: Mapping[str, Any]) -> Answer:
    """List the project's categories by name."""
    found = ctx.store.categories.list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Answer([category_record(category, ctx.caller.team_id) for category in found])
