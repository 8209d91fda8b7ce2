"""How large a query may be, and what it may cost (decisions, sections 7 and 15).

Strawberry's extensions limit the tokens and cache the parsed queries. Its limiters of depth and aliases follow each
spread of a fragment anew, which 1,000 tokens can make endless: `QuerySize` measures each fragment once.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, Final

import strawberry
from graphql import (
    ASTValidationRule,
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
    Visitor,
    build_schema,
    get_argument_values,
    get_directive_values,
    get_operation_ast,
    get_variable_values,
    specified_rules,
    validate,
    visit,
)
from graphql.validation import ASTValidationContext
from strawberry.extensions import MaxTokensLimiter, ParserCache, SchemaExtension
from strawberry.types import ExecutionContext, ExecutionResult

from app.errors import Refusal
from graphql_app.errors import query_error
from graphql_app.schema import CONFIG, Query, page_of, sdl
from graphql_app.types import related_limit

MAX_BYTES: Final = 20 * 1024
MAX_TOKENS: Final = 1_000
MAX_DEPTH: Final = 8
MAX_ALIASES: Final = 15
MAX_FRAGMENTS: Final = 100
"""More take graphql-core over 10 ms to validate; no client's query of 1,000 tokens has so many."""
MAX_REPEATED: Final = 50
"""How often fields of one selection set may repeat others, but with other arguments or selections."""
MAX_NESTING: Final = 60
"""How deep fields may be nested, with those of introspection; the deepest introspection query takes half of that."""
MAX_COST: Final = 5_000
OFFSET_COST: Final = 50
"""How many skipped documents cost as much as a returned one."""
MAX_SCHEMA_FIELDS: Final = 100_000
"""The most fields of introspection in a response; the query of common clients has a third of that."""
MAX_SELECTIONS: Final = 5_000
"""The most selections of a query with each fragment in place of its spreads, which can multiply them."""

TOO_DEEP = f"A query is at most {MAX_DEPTH} fields deep."
SCHEMA = build_schema(sdl())
"""The schema for graphql-core's functions; the one inside Strawberry's `Schema` is private to it."""
OBJECTS = {name: one for name, one in SCHEMA.type_map.items() if isinstance(one, GraphQLObjectType)}
LIST_LENGTHS = {
    "types": len(SCHEMA.type_map),
    "fields": max(len(one.fields) for one in OBJECTS.values()),
    "args": max(len(one.args) for type_ in OBJECTS.values() for one in type_.fields.values()),
    "enumValues": max(len(getattr(one, "values", ())) for one in SCHEMA.type_map.values()),
    "directives": len(SCHEMA.directives),
}
"""How long the lists of introspection are at most; the schema has no input types."""


class QuerySize(ASTValidationRule):
    """Ends the validation of a document that is too deep, or has too many aliases or fragments."""

    def __init__(self, context: ASTValidationContext) -> None:
        super().__init__(context)
        self._fragments = _fragments(context.document)
        self._depths: dict[str, int] = {}
        self._aliases = self._nesting = 0
        if len(self._fragments) > MAX_FRAGMENTS:
            raise query_error("GRAPHQL_VALIDATION_FAILED", f"A query has at most {MAX_FRAGMENTS} fragments.")
        for name in self._fragments:
            self._fragment_depth(name)
        for definition in context.document.definitions:
            if not isinstance(definition, OperationDefinitionNode):
                continue
            if self._depth(definition.selection_set) > MAX_DEPTH:
                raise query_error("QUERY_TOO_DEEP", TOO_DEEP, definition)
        if self._aliases > MAX_ALIASES:
            raise query_error("TOO_MANY_ALIASES", f"A query has at most {MAX_ALIASES} aliases, not {self._aliases}.")

    def _depth(self, selections: SelectionSetNode | None) -> int:
        """Returns how many fields are nested, introspection aside; counts the aliases."""
        if selections is None:
            return 0
        names = [one.name.value for one in selections.selections if isinstance(one, FieldNode) and one.alias is None]
        if len(names) - len(set(names)) > MAX_REPEATED:
            raise query_error("GRAPHQL_VALIDATION_FAILED", "Select each field once, with all that you want of it.")
        return max(map(self._depth_of, selections.selections), default=0)

    def _fragment_depth(self, name: str) -> int:
        if name in self._fragments and name not in self._depths:
            self._depths[name] = 0  # for a fragment that spreads itself, which another rule refuses
            self._depths[name] = self._depth(self._fragments[name].selection_set)
        return self._depths.get(name, 0)

    def _depth_of(self, node: Any) -> int:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment_depth(node.name.value)
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise query_error("QUERY_TOO_DEEP", TOO_DEEP)
        below = self._depth(node.selection_set)
        self._nesting -= 1
        if not isinstance(node, FieldNode):
            return below
        self._aliases += node.alias is not None
        return 0 if node.name.value.startswith("__") else below + 1


class LimitQuery(SchemaExtension):
    """Refuses a query that is too long before it is parsed, and one that costs too much before anything is read."""

    def __init__(self, *, introspection: bool) -> None:
        self._introspection = introspection

    def on_operation(self) -> Iterator[None]:
        """Checks the length of the query."""
        if len((self.execution_context.query or "").encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise query_error("QUERY_TOO_LARGE", f"A query has at most {MAX_BYTES:,} bytes.")
        yield

    def on_parse(self) -> Iterator[None]:
        """Checks that it is known which operation to run."""
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
    return Schema(Query, extensions=[*limits, ParserCache], config=CONFIG)


@lru_cache(maxsize=128)
def validated(document: DocumentNode, introspection: bool) -> list[GraphQLError]:
    """Returns the first thing that is wrong with a query, if anything is."""
    rules = (*specified_rules, QuerySize, *([] if introspection else [NoSchemaIntrospectionCustomRule]))
    return validate(SCHEMA, without_repetitions(document), rules, max_errors=1, hide_suggestions=not introspection)


def without_repetitions(document: DocumentNode) -> DocumentNode:
    """Returns a document without the selections that repeat, letter by letter, another one beside them.

    It is valid exactly if the original is. graphql-core's rule that fields can be merged compares every two fields
    of a name.
    """
    simplified: DocumentNode = visit(document, _Repetitions())
    return simplified


class _Repetitions(Visitor):
    def leave_selection_set(self, node: SelectionSetNode, *_: object) -> SelectionSetNode | None:
        assert node.loc
        text = node.loc.source.body
        unique = {text[one.loc.start : one.loc.end]: one for one in node.selections if one.loc}
        return (
            SelectionSetNode(selections=tuple(unique.values()), loc=node.loc)
            if len(unique) < len(node.selections)
            else None
        )


class Cost:
    """Counts what a query costs, with the fields that the executor merges counted once (`CollectFields`)."""

    def __init__(self, document: DocumentNode, variables: VariableValues, categories: Callable[[], int]) -> None:
        self._fragments = _fragments(document)
        self._variables = variables
        self._category_count = categories
        self._visited = 0

    def check(self, operation: OperationDefinitionNode) -> None:
        """Raises `GraphQLError` for an operation that costs too much."""
        fields = self._collect([operation.selection_set])
        if sum(self._schema_fields(nodes, 1) for nodes in fields if _name(nodes).startswith("__")) > MAX_SCHEMA_FIELDS:
            message = f"The response could have over {MAX_SCHEMA_FIELDS:,} fields of the schema: nest fewer lists."
            raise query_error("QUERY_TOO_COSTLY", message)
        cost = sum(self._query_field(nodes) for nodes in fields if not _name(nodes).startswith("__"))
        if cost > MAX_COST:
            message = (
                f"The query costs {cost:,}, over {MAX_COST:,}: a document or category counts 1, each step of its "
                "category chain 1, `related` its limit times what is in it, `categories` and `children` once a level "
                f"the categories that the project has, {OFFSET_COST} items of an offset 1. Ask for fewer of them, "
                "shorter chains, or a nearer page."
            )
            raise query_error("QUERY_TOO_COSTLY", message)

    def _query_field(self, nodes: list[FieldNode]) -> int:
        """Returns the cost of a field of `Query`; none where an argument is wrong, as it is then refused unread."""
        name = _name(nodes)
        if name == "categories":
            return self._categories(nodes, self._category_count(), 1)
        if name in ("category", "categoryBySlug"):
            return self._categories(nodes, 1, 1)
        if name in ("document", "documentBySlug"):
            return self._document(nodes)
        if name == "redirect":
            return 1
        try:
            arguments = self._arguments("Query", nodes)
            page = page_of(limit=arguments.get("limit"), offset=arguments.get("offset"))
        except (GraphQLError, Refusal):
            return 0
        if name == "redirects":
            each = 1
        elif name == "documentsPage":
            lists = (below for below in self._below(nodes) if _name(below) == "documents")
            each = sum(self._document(below) for below in lists)
        else:
            each = self._document(nodes)
        return int(page["limit"]) * each + int(page["offset"]) // OFFSET_COST

    def _document(self, nodes: list[FieldNode]) -> int:
        """Returns the cost of one document."""
        cost = 1
        for below in self._below(nodes):
            if _name(below) == "category":
                cost += self._categories(below, 1, 1)
            elif _name(below) == "related":
                cost += self._related_limit(below) * self._document(below)
        return cost

    def _related_limit(self, nodes: list[FieldNode]) -> int:
        try:
            return related_limit(self._arguments("Document", nodes).get("limit"))
        except (GraphQLError, Refusal):
            return 0

    def _categories(self, nodes: list[FieldNode], count: int, times: int) -> int:
        """Returns the cost of some categories; those below `children` are at most all, for each of `times` records."""
        cost = count
        for below in self._below(nodes):
            if _name(below) == "category":
                cost += self._categories(below, count, count)
            elif _name(below) == "children":
                cost += self._categories(below, times * self._category_count(), times)
        return cost

    def _schema_fields(self, nodes: list[FieldNode], times: int) -> int:
        """Returns how many fields a response can have at and below a field of introspection."""
        return times + sum(
            self._schema_fields(below, times * LIST_LENGTHS.get(_name(below), 1)) for below in self._below(nodes)
        )

    def _arguments(self, type_: str, nodes: list[FieldNode]) -> dict[str, Any]:
        return get_argument_values(OBJECTS[type_].fields[_name(nodes)], nodes[0], self._variables)

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
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])


def _name(nodes: list[FieldNode]) -> str:
    return nodes[0].name.value


def _fragments(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    return {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
