"""Runs a query: first all that it asks for is judged and read, then it is executed on what was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import orjson
from graphql import ExecutionResult, FieldNode, GraphQLError, OperationDefinitionNode, execute
from graphql.execution.values import VariableValues, get_argument_values, get_variable_values

from app.fields.queries import DeliveryPage
from app.operations.context import Context
from app.operations.delivery import DeliveryReader, Entry, shows_drafts
from graphql_app.assembling import assembled
from graphql_app.errors import QueryRefused, refused, written
from graphql_app.introspection import check_introspection
from graphql_app.limits import MAX_COST
from graphql_app.queries import Query
from graphql_app.schema import executable
from graphql_app.selections import Fields, Selections

DEFAULT_LIMIT: int = DeliveryPage().fields["limit"].load_default
CATEGORIES_COST = 100
"""What a list of all categories costs: nobody knows how many there are before they are read."""
PASSED_OVER = 50
"""How many documents before a page cost as much as one in it."""


@dataclass(frozen=True)
class Result:
    """What a query gave, as JSON; whether it may be kept, and whether it may hold drafts."""

    body: bytes
    whole: bool
    drafts: bool


def run(
    ctx: Context,
    reader: DeliveryReader,
    query: Query,
    operation_name: str | None,
    variables: Mapping[str, Any],
    revision: int,
) -> Result:
    """Returns what a query gives, read at a revision of the project's delivery or later.

    Refuses what is wrong with the query as a whole: its variables, its cost.
    """
    operation = query.operation(operation_name)
    values = _variables(operation, variables)
    selections = Selections(query.fragments, values)
    chosen = selections.fields([operation.selection_set])
    entries = _entries(selections, chosen, values)
    found = reader.read(ctx, entries, revision)
    drafts = shows_drafts(ctx, entries)
    if (data := assembled(Selections(query.fragments, values), chosen, found)) is not None:
        return Result(orjson.dumps({"data": data}), whole=True, drafts=drafts)
    result = execute(
        executable(),
        query.document,
        context_value=found,
        variable_values=dict(variables),
        operation_name=operation_name,
        is_awaitable=_never,
        is_async_iterable=_never,
    )
    assert isinstance(result, ExecutionResult)  # nothing here is asynchronous
    body: dict[str, Any] = {"data": result.data}
    if result.errors:
        body["errors"] = [written(error) for error in result.errors]
    return Result(orjson.dumps(body), whole=not result.errors, drafts=drafts)


def _never(value: object) -> TypeGuard[Any]:
    """Tells that a value is nothing to wait for: all of them were read before."""
    return False


def _variables(operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> VariableValues:
    values = get_variable_values(executable(), operation.variable_definitions or (), dict(variables), 10)
    if isinstance(values, list):
        for error in values:
            error.extensions = {"code": "BAD_USER_INPUT"}
        raise QueryRefused(values)
    return values


def _entries(selections: Selections, chosen: Fields, values: VariableValues) -> dict[str, Entry]:
    """Returns what each entry of a query asks for. Refuses a query that costs too much."""
    entries: dict[str, Entry] = {}
    cost = 0
    for key, nodes in chosen.items():
        name = nodes[0].name.value
        if name.startswith("__"):
            check_introspection(selections, nodes)
            continue
        try:
            arguments = get_argument_values(executable().query_type.fields[name], nodes[0], values)  # type: ignore[union-attr]
        except GraphQLError:
            continue  # executing it will say so, at its place
        entry, each = _entry(selections, name, nodes, arguments)
        entries[key] = entry
        cost += each * _most(name, arguments) + (arguments.get("offset") or 0) // PASSED_OVER
        if cost > MAX_COST:
            message = (
                f"The query costs over {MAX_COST:,}, a document counting 1, each step of its category chain 1 and "
                f"{PASSED_OVER} documents of an offset 1: ask for fewer documents, shorter chains, or a nearer page."
            )
            raise refused("QUERY_TOO_COSTLY", message)
    return entries


def _entry(
    selections: Selections, name: str, nodes: list[FieldNode], arguments: Mapping[str, Any]
) -> tuple[Entry, int]:
    """Returns what an entry asks for, and the cost of one of what it finds."""
    names: dict[str, int] = {}
    cost = 1
    for below in selections.below(nodes).values():
        field = below[0].name.value
        names[field] = names.get(field, 0) + 1
        if field == "category":
            cost += _chain(selections, below)
    entry = Entry(
        name,
        arguments,
        html=names.get("html", 0),
        markdown=names.get("markdown", 0),
        excerpt="excerpt" in names,
        category="category" in names,
    )
    return entry, cost


def _chain(selections: Selections, nodes: list[FieldNode]) -> int:
    below = selections.below(nodes).values()
    return 1 + sum(_chain(selections, parents) for parents in below if parents[0].name.value == "category")


def _most(name: str, arguments: Mapping[str, Any]) -> int:
    """Returns how many records an entry finds at most."""
    if name == "categories":
        return CATEGORIES_COST
    if name not in ("documents", "documentsInCategory"):
        return 1
    limit: int | None = arguments.get("limit")
    return DEFAULT_LIMIT if limit is None else max(0, limit)
