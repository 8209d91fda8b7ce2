"""What a query selects, once its variables are known: fields by the name they have in the answer.

Every type of the schema is an object type, so a field with the same name in the answer has to be the same field
wherever it stands, and what a fragment is on need not be asked. The number of steps is bounded: fragments and aliases
can make a short query select more than anybody can count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    SelectionSetNode,
    print_ast,
)
from graphql.execution.values import VariableValues, get_directive_values

from graphql_app.errors import refused

MAX_STEPS = 5_000

Fragments = Mapping[str, FragmentDefinitionNode]
Fields = dict[str, list[FieldNode]]


class Selections:
    """Walks the selections of one query; without variables, as if every condition held."""

    def __init__(self, fragments: Fragments, variables: VariableValues | None = None) -> None:
        self._fragments = fragments
        self._variables = variables
        self._steps = 0

    def fields(self, chosen: Iterable[SelectionSetNode]) -> Fields:
        """Returns the fields that selection sets select together, by their names in the answer.

        Refuses a query that takes too many steps.
        """
        found: Fields = {}
        spread: set[str] = set()
        waiting = [selection for one in chosen for selection in one.selections][::-1]
        while waiting:
            self._steps += 1
            if self._steps > MAX_STEPS:
                raise refused("QUERY_TOO_COSTLY", "The query's fragments and aliases select too much: split it.")
            node = waiting.pop()
            if node.directives and not self._included(node):
                continue
            if isinstance(node, FieldNode):
                found.setdefault((node.alias or node.name).value, []).append(node)
                continue
            inner = node.selection_set if not isinstance(node, FragmentSpreadNode) else self._once(node, spread)  # type: ignore[attr-defined]
            waiting += inner.selections[::-1] if inner else ()
        return found

    def below(self, nodes: Iterable[FieldNode]) -> Fields:
        """Returns the fields that are selected below a field that stands in several places."""
        return self.fields(node.selection_set for node in nodes if node.selection_set)

    def _once(self, node: FragmentSpreadNode, spread: set[str]) -> SelectionSetNode | None:
        name = node.name.value
        if name in spread:
            return None
        spread.add(name)
        return self._fragments[name].selection_set

    def _included(self, node: Any) -> bool:
        if self._variables is None:
            return True
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])


def first_conflict(selections: Selections, chosen: Iterable[SelectionSetNode]) -> tuple[str, list[FieldNode]] | None:
    """Returns a name in the answer that two different fields want, with both, or None.

    It is the rule that fields in a set can merge, for a schema of object types, in one walk; graphql-core compares
    every two fields, which takes it a quarter of a second for a thousand.
    """
    for name, nodes in selections.fields(chosen).items():
        if len(nodes) > 1:
            first = _identity(nodes[0])
            for node in nodes[1:]:
                if _identity(node) != first:
                    return name, [nodes[0], node]
        if found := first_conflict(selections, [node.selection_set for node in nodes if node.selection_set]):
            return found
    return None


def _identity(node: FieldNode) -> tuple[str, ...]:
    """Returns what has to be the same in two fields with one name in the answer."""
    return (node.name.value, *sorted(map(print_ast, node.arguments or ())))
