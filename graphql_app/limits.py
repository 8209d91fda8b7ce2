"""How large a query may be, and what it may cost (decisions, sections 7 and 15).

Strawberry's extensions limit the tokens and cache the parsed queries. Its limiters of depth and aliases follow each
spread of a fragment anew: 20 fragments that spread the next one twice take them 9 and 2 seconds, and each further one
doubles that. So `_count` counts those of each fragment once, and `Cost` visits what the executor does, with an upper
bound.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, Final

import strawberry
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLIncludeDirective,
    GraphQLObjectType,
    GraphQLSkipDirective,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableValues,
    build_schema,
    get_argument_values,
    get_directive_values,
    get_operation_ast,
    get_variable_values,
    specified_rules,
    validate,
)
from strawberry.extensions import MaxTokensLimiter, ParserCache, SchemaExtension
from strawberry.types import ExecutionContext, ExecutionResult

from app.errors import Refusal
from graphql_app.errors import query_error
from graphql_app.schema import Query, page_of, sdl
from graphql_app.types import related_limit

MAX_BYTES: Final = 20 * 1024
MAX_TOKENS: Final = 1_000
MAX_DEPTH: Final = 8
MAX_ALIASES: Final = 15
MAX_FRAGMENTS: Final = 100
"""More take graphql-core over 10 ms to validate; no client's query of 1,000 tokens has so many."""
MAX_REPEATED: Final = 50
"""How often fields may repeat others of their selection sets: graphql-core compares every two fields of a name."""
MAX_NESTING: Final = 60
"""How deep fields may be nested, with those of introspection; the deepest introspection query takes half of that."""
MAX_COST: Final = 5_000
OFFSET_COST: Final = 50
"""How many skipped documents cost as much as a returned one."""
MAX_SELECTIONS: Final = 5_000
"""The most selections of a query with each fragment in place of its spreads, which can multiply them."""

PAGES = ("documents", "documentsInCategory", "documentsPage", "redirects")
"""The fields of `Query` that are lists with `limit` and `offset`."""
COUNTED = {
    *("document", "documentBySlug", "documents", "documentsInCategory", "related", "redirect", "redirects"),
    *("category", "categoryBySlug", "categories", "children", "parent"),
}
"""The fields whose records count towards the cost of a query."""
TOO_DEEP = f"A query is at most {MAX_DEPTH} fields deep."
SCHEMA = build_schema(sdl())
"""The schema for graphql-core's functions; the one inside Strawberry's `Schema` is private to it."""
OBJECTS = {name: one for name, one in SCHEMA.type_map.items() if isinstance(one, GraphQLObjectType)}


class LimitQuery(SchemaExtension):
    """Refuses a query that is too long before it is parsed, and one that costs too much before anything is read."""

    def __init__(self, *, introspection: bool) -> None:
        self._introspection = introspection

    def on_parse(self) -> Iterator[None]:
        """Checks the length of the query, and that it is known which operation to run."""
        if len((self.execution_context.query or "").encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise query_error("QUERY_TOO_LARGE", f"A query has at most {MAX_BYTES:,} bytes.")
        yield
        document = self.execution_context.graphql_document
        if document and get_operation_ast(document, self._operation_name) is None:
            message = "Name the operation to run in `operationName`: the document has none of that name, or several."
            raise query_error("OPERATION_RESOLUTION_FAILURE", message)

    def on_validate(self) -> Iterator[None]:
        """Validates the query; Strawberry's `ValidationCache` would list and word a hundred errors."""
        context = self.execution_context
        assert context.graphql_document
        context.pre_execution_errors = validated(context.graphql_document, self._introspection)
        yield

    def on_execute(self) -> Iterator[None]:
        """Checks the variables, and the cost that the query has with them."""
        execution = self.execution_context
        assert (document := execution.graphql_document)
        assert (operation := get_operation_ast(document, self._operation_name))
        definitions = operation.variable_definitions or ()
        variables = get_variable_values(SCHEMA, definitions, dict(execution.variables or {}), 1)
        if isinstance(variables, list):
            for error in variables:
                error.extensions = {"code": "BAD_USER_INPUT"}
            execution.result = ExecutionResult(data=None, errors=variables)
        else:
            Cost(document, variables, lambda: len(execution.context.query.categories)).check(operation)
        yield

    @property
    def _operation_name(self) -> str | None:
        """The name that the client sent; Strawberry's own is that of the first operation without one."""
        name: str | None = self.execution_context.context.request_data.operation_name
        return name


class Schema(strawberry.Schema):
    """The schema as the server runs it."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Logs nothing: the view raises what is a bug, and all else is the caller's."""


def delivery_schema(introspection: bool) -> Schema:
    """Returns the schema with its limits; its extensions are made for each request."""
    limits = (partial(LimitQuery, introspection=introspection), partial(MaxTokensLimiter, MAX_TOKENS))
    return Schema(Query, extensions=[*limits, ParserCache])


@lru_cache(maxsize=128)
def validated(document: DocumentNode, introspection: bool) -> list[GraphQLError]:
    """Returns the first thing that is wrong with a query, if anything is."""
    if sum(isinstance(one, FragmentDefinitionNode) for one in document.definitions) > MAX_FRAGMENTS:
        raise query_error("GRAPHQL_VALIDATION_FAILED", f"A query has at most {MAX_FRAGMENTS} fragments.")
    counts: Counter[str] = Counter()
    for definition in document.definitions:
        _count(getattr(definition, "selection_set", None), counts)
    if (aliases := counts["aliases"]) > MAX_ALIASES:
        raise query_error("TOO_MANY_ALIASES", f"A query has at most {MAX_ALIASES} aliases, not {aliases}.")
    if counts["repeated"] > MAX_REPEATED:
        raise query_error("GRAPHQL_VALIDATION_FAILED", "Select each field once, with all that you want of it.")
    rules = (*specified_rules, *([] if introspection else [NoSchemaIntrospectionCustomRule]))
    return validate(SCHEMA, document, rules, max_errors=1, hide_suggestions=not introspection)


def _count(selection_set: SelectionSetNode | None, counts: Counter[str], nesting: int = 1) -> None:
    """Counts the aliases and the repeated fields of a selection set; refuses one that is nested too deep."""
    if selection_set is None:
        return
    if nesting > MAX_NESTING:
        raise query_error("QUERY_TOO_DEEP", TOO_DEEP)
    fields = [one for one in selection_set.selections if isinstance(one, FieldNode)]
    names = [one.name.value for one in fields if one.alias is None]
    counts["aliases"] += len(fields) - len(names)
    counts["repeated"] += len(names) - len(set(names))
    for one in selection_set.selections:
        _count(getattr(one, "selection_set", None), counts, nesting + 1)


class Cost:
    """Counts what a query costs, with the fields that the executor merges counted once (`CollectFields`)."""

    def __init__(self, document: DocumentNode, variables: VariableValues, categories: Callable[[], int]) -> None:
        self._fragments = {
            one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)
        }
        self._variables = variables
        self._category_count = categories
        self._visited = 0

    def check(self, operation: OperationDefinitionNode) -> None:
        """Raises `GraphQLError` for an operation that is too deep or costs too much."""
        fields = self._collect([operation.selection_set])
        if any(_name(nodes).startswith("__") and self._has_alias(nodes) for nodes in fields):
            raise query_error("QUERY_TOO_COSTLY", "Ask for the schema without aliases, which multiply its lists.")
        cost = sum(self._cost(nodes, 1, 1, 1) for nodes in fields)
        if cost > MAX_COST:
            message = (
                f"The query costs {cost:,}, over {MAX_COST:,}: a document or category counts 1, each step of its "
                "category chain 1, `related` its limit times what is in it, `categories` and `children` once a level "
                f"the categories that the project has, {OFFSET_COST} items of an offset 1. Ask for fewer of them, "
                "shorter chains, or a nearer page."
            )
            raise query_error("QUERY_TOO_COSTLY", message)

    def _cost(self, nodes: list[FieldNode], records: int, trees: int, depth: int) -> int:
        """Returns the cost of a field of `records` records; below them, each of `trees` has all categories at most."""
        name = _name(nodes)
        if name.startswith("__"):
            return 0
        if depth > MAX_DEPTH:
            raise query_error("QUERY_TOO_DEEP", TOO_DEEP, nodes[0])
        skipped = 0
        if name in ("categories", "children"):
            records = trees * self._category_count()
        else:
            if name == "related":
                records *= self._page("Document", nodes)["limit"]
            elif name in PAGES and depth == 1:
                page = self._page("Query", nodes)
                records, skipped = page["limit"], page["offset"] // OFFSET_COST
            trees = records
        own = records if name in COUNTED else 0
        return own + skipped + sum(self._cost(below, records, trees, depth + 1) for below in self._below(nodes))

    def _page(self, type_: str, nodes: list[FieldNode]) -> dict[str, int]:
        """Returns the page of a list; an empty one where an argument is wrong, as it is then refused unread."""
        try:
            given = get_argument_values(OBJECTS[type_].fields[_name(nodes)], nodes[0], self._variables)
            if type_ == "Document":
                return {"limit": related_limit(given.get("limit")), "offset": 0}
            return page_of(limit=given.get("limit"), offset=given.get("offset"))
        except (GraphQLError, Refusal):
            return {"limit": 0, "offset": 0}

    def _has_alias(self, nodes: list[FieldNode]) -> bool:
        """Returns whether a field of introspection with fields of its own, or such a field below it, has an alias."""
        below = self._below(nodes)
        return bool(below) and (any(node.alias for node in nodes) or any(self._has_alias(one) for one in below))

    def _below(self, nodes: list[FieldNode]) -> list[list[FieldNode]]:
        return self._collect(node.selection_set for node in nodes if node.selection_set)

    def _collect(self, selection_sets: Iterable[SelectionSetNode]) -> list[list[FieldNode]]:
        """Returns the fields of selection sets, those of one response key together."""
        found: dict[str, list[FieldNode]] = {}
        spread: set[str] = set()
        waiting: list[Any] = [node for one in selection_sets for node in one.selections][::-1]
        while waiting:
            self._visited += 1
            if self._visited > MAX_SELECTIONS:
                raise query_error("QUERY_TOO_COSTLY", "The query's fragments and aliases select too much: split it.")
            node = waiting.pop()
            if node.directives and not self._is_included(node):
                continue
            if isinstance(node, FieldNode):
                found.setdefault((node.alias or node.name).value, []).append(node)
                continue
            if isinstance(node, FragmentSpreadNode):
                if node.name.value in spread:
                    continue
                spread.add(node.name.value)
                node = self._fragments[node.name.value]
            waiting += node.selection_set.selections[::-1]
        return [*found.values()]

    def _is_included(self, node: Any) -> bool:
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables) or {"if": False}
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables) or {"if": True}
        return include["if"] and not skip["if"]


def _name(nodes: list[FieldNode]) -> str:
    return nodes[0].name.value
