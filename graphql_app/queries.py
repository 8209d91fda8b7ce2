"""Queries that were parsed and validated, kept by the hash of their text: that is also how they are persisted."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from cachetools import LRUCache
from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    OperationType,
    ParallelVisitor,
    TypeInfo,
    TypeInfoVisitor,
    specified_rules,
    visit,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS
from graphql.validation import (
    DeferStreamDirectiveLabel,
    DeferStreamDirectiveOnRootField,
    DeferStreamDirectiveOnValidOperationsRule,
    NoFragmentCyclesRule,
    NoUndefinedVariablesRule,
    NoUnusedVariablesRule,
    OverlappingFieldsCanBeMergedRule,
    SingleFieldSubscriptionsRule,
    StreamDirectiveOnListField,
    UniqueVariableNamesRule,
    ValidationContext,
    VariablesAreInputTypesRule,
    VariablesInAllowedPositionRule,
)

from graphql_app.errors import NotAQuery, QueryRefused, coded, refused
from graphql_app.limits import check, parsed
from graphql_app.schema import executable
from graphql_app.selections import Selections, first_conflict

MAX_ERRORS = 3
"""How many errors of one query are told: each takes a millisecond to find names that are alike."""
ROOM = 300_000
"""How many characters of queries are kept; a syntax tree takes up to two hundred bytes a character."""

NOT_NEEDED = (
    OverlappingFieldsCanBeMergedRule,  # `first_conflict` does it
    NoFragmentCyclesRule,  # `check` does it
    SingleFieldSubscriptionsRule,  # there are no subscriptions,
    DeferStreamDirectiveLabel,  # nor these directives
    DeferStreamDirectiveOnRootField,
    DeferStreamDirectiveOnValidOperationsRule,
    StreamDirectiveOnListField,
)
RULES = tuple(rule for rule in specified_rules if rule not in NOT_NEEDED)
OF_VARIABLES = (
    NoUndefinedVariablesRule,
    NoUnusedVariablesRule,
    UniqueVariableNamesRule,
    VariablesAreInputTypesRule,
    VariablesInAllowedPositionRule,
)
"""The rules that a query without a `$` can't break; they take half of the time."""
VISITED = {
    kind: tuple(key for key in keys if key not in ("name", "alias", "description"))
    for kind, keys in QUERY_DOCUMENT_KEYS.items()
}
"""The parts of a syntax tree that rules look at."""


@dataclass(frozen=True)
class Query:
    """A query that is valid, and within the limits that need no variables."""

    sha256: str
    text: str
    document: DocumentNode
    operations: Mapping[str | None, OperationDefinitionNode]
    fragments: Mapping[str, FragmentDefinitionNode]

    def operation(self, name: str | None) -> OperationDefinitionNode:
        """Returns the operation of a name, or the only one. Refuses when there is none."""
        if name is None and len(self.operations) == 1:
            return next(iter(self.operations.values()))
        if name is None or name not in self.operations:
            message = "Name the operation to run in `operationName`." if name is None else f"No operation {name!r}."
            raise refused("OPERATION_RESOLUTION_FAILURE", message)
        return self.operations[name]


class Queries:
    """Reads queries, and remembers those that are valid; as many as there is room for."""

    def __init__(self, introspection: bool) -> None:
        self._rules = (*RULES, *(() if introspection else (NoSchemaIntrospectionCustomRule,)))
        self._hide_names = not introspection
        self._known: LRUCache[str, Query] = LRUCache(ROOM, getsizeof=lambda query: len(query.text) + 500)
        self._lock = threading.Lock()

    def by_hash(self, sha256: str) -> Query | None:
        """Returns a query that was sent before, by the SHA-256 of its text in hex digits."""
        with self._lock:
            return self._known.get(sha256)

    def by_text(self, text: str) -> Query:
        """Returns a query by its text. Refuses one that is too large, no GraphQL or not valid."""
        sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        known = self.by_hash(sha256)
        if known is None:
            known = self._read(sha256, text)
            with self._lock:
                self._known[sha256] = known
        return known

    def _read(self, sha256: str, text: str) -> Query:
        document = parsed(text)
        definitions = document.definitions
        operations = [one for one in definitions if isinstance(one, OperationDefinitionNode)]
        if any(one.operation != OperationType.QUERY for one in operations):
            raise NotAQuery([coded("The delivery API only reads: send a query.", "GRAPHQL_VALIDATION_FAILED")])
        fragments = {one.name.value: one for one in definitions if isinstance(one, FragmentDefinitionNode)}
        check(document, fragments)
        self._validate(document, variables="$" in text)
        selections = Selections(fragments)
        for operation in operations:
            if conflict := first_conflict(selections, [operation.selection_set]):
                name, nodes = conflict
                message = f"Two different fields want the name {name!r} in the answer: give one of them an alias."
                raise QueryRefused([coded(message, "GRAPHQL_VALIDATION_FAILED", nodes)])
        named = {one.name.value if one.name else None: one for one in operations}
        return Query(sha256, text, document, named, fragments)

    def _validate(self, document: DocumentNode, variables: bool) -> None:
        """Refuses a query that breaks a rule of GraphQL; as graphql-core does, without visiting each name."""
        wrong: list[GraphQLError] = []

        def note(error: GraphQLError) -> None:
            wrong.append(error)
            if len(wrong) == MAX_ERRORS:
                raise QueryRefused(wrong)

        types = TypeInfo(executable())
        context = ValidationContext(executable(), document, types, note, self._hide_names)
        asked = self._rules if variables else [rule for rule in self._rules if rule not in OF_VARIABLES]
        rules = ParallelVisitor([rule(context) for rule in asked])
        visit(document, TypeInfoVisitor(types, rules), VISITED)
        if wrong:
            raise QueryRefused(wrong)
