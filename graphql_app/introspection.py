"""What asking for the schema itself costs: a few words can ask for each type of each field of each type, and so on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from graphql import FieldNode, GraphQLInputObjectType, GraphQLObjectType

from graphql_app.errors import refused
from graphql_app.schema import executable
from graphql_app.selections import Selections

MAX_FIELDS = 100_000
"""The most fields that an answer may have; the introspection query of common clients has a third of that."""


def check_introspection(selections: Selections, nodes: Iterable[FieldNode]) -> None:
    """Refuses a query of the schema whose answer could have too many fields."""
    if _fields(selections, nodes, 1) > MAX_FIELDS:
        message = f"The answer could have over {MAX_FIELDS:,} fields of the schema: ask for fewer inside each other."
        raise refused("QUERY_TOO_COSTLY", message)


def _fields(selections: Selections, nodes: Iterable[FieldNode], times: int) -> int:
    """Returns how many fields an answer has below a field that it has so many times, or the first number too many."""
    count = 0
    for below in selections.below(nodes).values():
        many = times * _most().get(below[0].name.value, 1)
        count += many + _fields(selections, below, many)
        if count > MAX_FIELDS:
            break
    return count


@cache
def _most() -> dict[str, int]:
    """Returns how many there are at most of what the fields of introspection list."""
    types = executable().type_map.values()
    with_fields = [one for one in types if isinstance(one, GraphQLObjectType | GraphQLInputObjectType)]
    arguments = [len(f.args) for one in with_fields if isinstance(one, GraphQLObjectType) for f in one.fields.values()]
    values = [len(getattr(one, "values", ())) for one in types]
    return {
        "types": len(types),
        "fields": max(len(one.fields) for one in with_fields),
        "inputFields": max(len(one.fields) for one in with_fields),
        "args": max(arguments),
        "enumValues": max(values),
        "directives": len(executable().directives),
    }
