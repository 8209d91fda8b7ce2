"""How large a query may be, and what it may cost (decisions, sections 7 and 15).

Strawberry's extensions limit the tokens and cache the parsed queries. Its limiters of depth and aliases follow each
spread of a fragment anew: 20 fragments that spread the next one twice take them 9 and 2 seconds, and each further one
doubles that. So here each fragment is measured once.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    Node,
    NoSchemaIntrospectionCustomRule,
    SelectionSetNode,
    build_schema,
    execute_sync,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    validate,
)
from graphql.execution import Executor
from graphql.execution.execute import assume_not_awaitable
from strawberry.extensions import DisableIntrospection, MaxTokensLimiter, ParserCache, SchemaExtension
from strawberry.types import ExecutionContext, ExecutionResult

from app.core.errors import Refusal
from app.core.features import Features
from app.delivery.queries import DeliveryQuery
from app.delivery.schemas import DeliveryPage, RelatedPage
from graphql_app.errors import BAD_INPUT, code_of, query_error
from graphql_app.schema import DeliverySchema
from graphql_app.types import page_of

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
MAX_SELECTIONS: Final = 5_000
"""Maximum number of selections of a query with each fragment in place of its spreads, which can multiply them."""
MAX_COST: Final = 5_000
OFFSET_COST: Final = 50
"""How many skipped documents cost as much as a returned one."""

PAGES = ("documents", "documentsInCategory", "documentsPage", "redirects")
"""The fields of `Query` that are lists with `limit` and `offset`."""
COUNTED = {
    *("document", "documentBySlug", "documents", "documentsInCategory", "related", "redirect", "redirects"),
    *("category", "categoryBySlug", "categories", "children", "parent", "authors"),
}
"""The fields whose records count towards the cost of a query."""
TOO_DEEP = f"A query is at most {MAX_DEPTH} fields deep."


class LimitQuery(SchemaExtension):
    """Refuses a query that is too long before it is parsed, and one that costs too much before anything is read."""

    def on_parse(self) -> Iterator[None]:
        """Checks the length of the query."""
        if len((self.execution_context.query or "").encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise query_error("QUERY_TOO_LARGE", f"A query has at most {MAX_BYTES:,} bytes.")
        yield

    def on_validate(self) -> Iterator[None]:
        """Validates the query; Strawberry's `ValidationCache` would list and word a hundred errors."""
        context = self.execution_context
        assert context.graphql_document
        context.pre_execution_errors = validated(_plain(context), context.graphql_document, context.validation_rules)
        yield

    def on_execute(self) -> Iterator[None]:
        """Checks which operation is meant, its variables, and the cost that it has with them."""
        execution = self.execution_context
        assert execution.graphql_document
        query: DeliveryQuery = execution.context.query
        cost = Cost(lambda: len(query.categories), lambda: len(query.published_authors), _schema(execution).features)
        counted = execute_sync(
            _plain(execution),
            execution.graphql_document,
            variable_values=execution.variables,
            operation_name=execution.context.operation_name,  # Strawberry's is that of the first one where none is sent
            field_resolver=cost.resolve,
            executor_class=Executor,
        )
        for error in counted.errors or ():
            if error.path is None:
                error.extensions = {"code": BAD_INPUT if error.nodes else "OPERATION_RESOLUTION_FAILURE"}
        if errors := [one for one in counted.errors or () if one.path is None or code_of(one) != BAD_INPUT]:
            execution.result = ExecutionResult(data=None, errors=errors)
        cost.check()
        yield


class SyncExecutor(Executor[Any]):
    """Executes queries whose resolvers are all synchronous: asking each value whether it is took 8 % of a query."""

    def __init__(self, *args: Any, operation_extensions: object, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_awaitable = assume_not_awaitable


class Schema(DeliverySchema):
    """The schema as the server runs it."""

    def __init__(self, features: Features, **options: Any) -> None:
        super().__init__(features, **options)
        self.plain = build_schema(self.as_str())
        """The schema for graphql-core's functions; the one inside Strawberry's is private to it."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Logs nothing: the view raises what is a bug, and all else is the caller's."""


def _schema(execution: ExecutionContext) -> Schema:
    assert isinstance(execution.schema, Schema)
    return execution.schema


def _plain(execution: ExecutionContext) -> GraphQLSchema:
    return _schema(execution).plain


def delivery_schema(features: Features, introspection: bool) -> Schema:
    """Returns the schema with its limits; its extensions are made for each request."""
    hidden = () if introspection else (DisableIntrospection,)
    extensions = (LimitQuery, partial(MaxTokensLimiter, MAX_TOKENS), ParserCache, *hidden)
    return Schema(features, extensions=extensions, execution_context_class=SyncExecutor)


@lru_cache(maxsize=128)
def validated(
    schema: GraphQLSchema, document: DocumentNode, rules: tuple[type[ASTValidationRule], ...]
) -> list[GraphQLError]:
    """Returns the first thing that is wrong with a query, if anything is. Raises `GraphQLError` for one too large."""
    fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
    if len(fragments) > MAX_FRAGMENTS:
        raise query_error("GRAPHQL_VALIDATION_FAILED", f"A query has at most {MAX_FRAGMENTS} fragments.")
    counts: Counter[str] = Counter()
    for definition in document.definitions:
        _count(definition, counts)
    if (aliases := counts["aliases"]) > MAX_ALIASES:
        raise query_error("TOO_MANY_ALIASES", f"A query has at most {MAX_ALIASES} aliases, not {aliases}.")
    if counts["repeated"] > MAX_REPEATED:
        raise query_error("GRAPHQL_VALIDATION_FAILED", "Select each field once, with all that you want of it.")
    if aliases and counts["introspection"]:
        raise query_error("QUERY_TOO_COSTLY", "Ask for the schema without aliases, which multiply its lists.")
    hidden = NoSchemaIntrospectionCustomRule in rules
    errors = validate(schema, document, rules, max_errors=1, hide_suggestions=hidden)
    sizes: dict[str, int] = {}
    if not errors and any(_size(one, fragments, sizes) > MAX_SELECTIONS for one in document.definitions):
        message = f"A query selects at most {MAX_SELECTIONS:,} fields, those of a fragment wherever it spreads it."
        raise query_error("QUERY_TOO_COSTLY", message)
    return errors


def _count(node: Node, counts: Counter[str], nesting: int = 0) -> None:
    """Counts the aliases and the repeated fields below a node; refuses a query that is nested too deep."""
    selection_set: SelectionSetNode | None = getattr(node, "selection_set", None)
    if selection_set is None:
        return
    if nesting == MAX_NESTING:
        raise query_error("QUERY_TOO_DEEP", TOO_DEEP)
    fields = [one for one in selection_set.selections if isinstance(one, FieldNode)]
    names = [one.name.value for one in fields if one.alias is None]
    counts["aliases"] += len(fields) - len(names)
    counts["repeated"] += len(names) - len(set(names))
    counts["introspection"] += any(one.name.value in ("__schema", "__type") for one in fields)
    for one in selection_set.selections:
        _count(one, counts, nesting + 1)


def _size(node: Node, fragments: Mapping[str, FragmentDefinitionNode], sizes: dict[str, int]) -> int:
    """Returns how many selections are below a node of a valid query; notes the `sizes` of fragments."""
    if isinstance(node, FragmentSpreadNode):
        name = node.name.value
        if name not in sizes:
            sizes[name] = _size(fragments[name], fragments, sizes)
        return sizes[name]
    selection_set: SelectionSetNode | None = getattr(node, "selection_set", None)
    return sum(1 + _size(one, fragments, sizes) for one in selection_set.selections) if selection_set else 0


Level = tuple[int, int, int]
"""How many records are at a place of the response, how many times all categories can be below it, and its depth."""


class Cost:
    """Counts what a query costs.

    It resolves the fields of a query that is executed without data: each list has one item, which stands for all. The
    value of an object is its `Level`.
    """

    def __init__(self, categories: Callable[[], int], authors: Callable[[], int], features: Features) -> None:
        self._category_count, self._author_count = categories, authors
        self._lists = {one.field.name: one.counts for one in features.delivery_fields() if one.counts}
        """Of lists of features, functions that return how many records they have at most."""
        self._cost = self._depth = 0

    def check(self) -> None:
        """Raises `GraphQLError` for a query that is too deep or costs too much."""
        if self._depth > MAX_DEPTH:
            raise query_error("QUERY_TOO_DEEP", TOO_DEEP)
        if self._cost > MAX_COST:
            message = (
                f"The query costs {self._cost:,}, over {MAX_COST:,}: a document or category counts 1, each step of its "
                "category chain 1, `related` its limit times what is in it, `categories` and `children` once a level "
                f"the categories that the project has, `authors` its authors, {OFFSET_COST} items of an offset 1. Ask "
                "for fewer of them, "
                "shorter chains, or a nearer page."
            )
            raise query_error("QUERY_TOO_COSTLY", message)

    def resolve(self, parent: Level | None, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        """Returns the level of a field, after counting its records; 0 for a scalar."""
        try:
            records, _, depth = level = self._level(parent or (1, 1, 0), info.field_name, arguments)
        except Refusal:  # of a page that is out of range, which its resolver refuses
            return []
        self._depth = max(self._depth, depth)
        if depth > MAX_DEPTH:
            return None
        is_list = is_list_type(get_nullable_type(info.return_type))
        if info.field_name in COUNTED or (is_list and parent is None and info.field_name in self._lists):
            self._cost += records
        value = 0 if is_leaf_type(get_named_type(info.return_type)) else level
        return [value] if is_list else value

    def _level(self, parent: Level, name: str, arguments: Mapping[str, Any]) -> Level:
        records, trees, depth = parent
        if name in ("categories", "children"):
            return trees * self._category_count(), trees, depth + 1
        if name == "authors":
            return self._author_count(), trees, depth + 1
        if name == "related":
            records *= page_of(RelatedPage, **arguments)["limit"]
        elif name in self._lists and depth == 0:
            records = self._lists[name](arguments)
        elif name in PAGES and depth == 0:
            page = page_of(DeliveryPage, limit=arguments.get("limit"), offset=arguments.get("offset"))
            self._cost += page["offset"] // OFFSET_COST
            records = page["limit"]
        return records, records, depth + 1
