"""What a query selects and what that costs, known before it is executed (decisions, sections 7 and 15).

Strawberry's `info.selected_fields` follows every spread of a fragment anew, which a short query can make endless, and
leaves `@skip` and `@include` to the caller; graphql-core's `collect_fields` is for its own use alone. So this does the
same as the executor (`CollectFields` of the specification).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLIncludeDirective,
    GraphQLSkipDirective,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableValues,
    get_argument_values,
    get_directive_values,
)

from app.errors import HttpApiDecodeError, Refusal
from app.fields.loading import load
from app.fields.queries import RelatedPage
from app.operations.delivery_queries import CATEGORY_QUERIES, DOCUMENT_QUERIES, page_of
from app.operations.selections import ONLY_LIST, DocumentSelection, RelatedSelection, Selection
from graphql_app.errors import query_error
from graphql_app.limits import fragments_of
from graphql_app.schema import DOCUMENT_FIELDS, LIST_LENGTHS, QUERY_FIELDS

MAX_COST = 5_000
OFFSET_COST = 50
"""How many skipped documents cost as much as a returned one."""
CHILDREN_COST = 60
"""The number of categories that `children` counts as."""
PAGES = ("documents", "documentsInCategory", "documentsPage", "redirects")
"""The fields of `Query` with a limit and an offset."""
MAX_SCHEMA_FIELDS = 100_000
"""The most fields of introspection in a response; the query of common clients has a third of that."""
MAX_SELECTIONS = 5_000
"""The most selections of a query with each fragment in place of its spreads, which can multiply them."""

FieldsByKey = dict[str, list[FieldNode]]


class FieldCollector:
    """Collects the fields that an operation selects, given its variables."""

    def __init__(self, query: DocumentNode, variables: VariableValues) -> None:
        self._fragments = fragments_of(query)
        self._variables = variables
        self._count = 0

    def collect(self, selection_sets: Iterable[SelectionSetNode]) -> FieldsByKey:
        """Returns the fields of selection sets by response key, as the executor merges them.

        Raises `GraphQLError` when the query selects too much.
        """
        found: FieldsByKey = {}
        spread: set[str] = set()
        waiting = [node for one in selection_sets for node in one.selections][::-1]
        while waiting:
            self._count += 1
            if self._count > MAX_SELECTIONS:
                raise query_error("QUERY_TOO_COSTLY", "The query's fragments and aliases select too much: split it.")
            node: Any = waiting.pop()
            if node.directives and not self._included(node):
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
        return found

    def below(self, nodes: Iterable[FieldNode]) -> FieldsByKey:
        """Returns the fields that are selected below a field, by response key."""
        return self.collect(node.selection_set for node in nodes if node.selection_set)

    def _included(self, node: Any) -> bool:
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])


def selections_of(
    query: DocumentNode, operation: OperationDefinitionNode, variables: VariableValues, categories: Callable[[], int]
) -> dict[str, Selection]:
    """Returns what each field of `Query` selects, by response key.

    `categories` returns the number of the project's categories. Raises `GraphQLError` for a query that costs too much.
    """
    collector = FieldCollector(query, variables)
    found: dict[str, Selection] = {}
    cost = schema_fields = 0
    for key, nodes in collector.collect([operation.selection_set]).items():
        name = nodes[0].name.value
        if name.startswith("__"):
            schema_fields += _schema_fields(collector, nodes, 1)
            continue
        try:
            arguments = get_argument_values(QUERY_FIELDS[name], nodes[0], variables)
        except GraphQLError:
            continue  # the executor reports it, with its path
        found[key], each = _QueryField(collector, variables).read(name, nodes, arguments)
        cost += _cost(name, arguments, each, categories)
    if schema_fields > MAX_SCHEMA_FIELDS:
        message = f"The response could have over {MAX_SCHEMA_FIELDS:,} fields of the schema: nest fewer lists."
        raise query_error("QUERY_TOO_COSTLY", message)
    if cost > MAX_COST:
        message = (
            f"The query costs {cost:,}, over {MAX_COST:,}: a document or category counts 1, each step of its category "
            f"chain 1, `related` its limit times what is in it, `children` {CHILDREN_COST} times what is in it, "
            f"{OFFSET_COST} items of an offset 1. Ask for fewer of them, shorter chains, or a nearer page."
        )
        raise query_error("QUERY_TOO_COSTLY", message)
    return found


@dataclass
class _QueryField:
    """What is selected below one field of `Query`, and what that costs for one record."""

    collector: FieldCollector
    variables: VariableValues
    category: bool = False
    document_count: bool = False

    def read(self, name: str, nodes: list[FieldNode], arguments: Mapping[str, Any]) -> tuple[Selection, int]:
        """Returns what a field of `Query` selects, and the cost of one of its records."""
        documents: dict[str, DocumentSelection] = {}
        fields: set[str] = set()
        cost = 1
        if name == "documentsPage":
            cost = 0
            for key, below in self.collector.below(nodes).items():
                fields.add(below[0].name.value)
                if below[0].name.value == "documents":
                    documents[key], each = self._document_selection(below)
                    cost += each
        elif name in DOCUMENT_QUERIES:
            documents[ONLY_LIST], cost = self._document_selection(nodes)
        elif name in CATEGORY_QUERIES:
            cost = self._category_cost(nodes)
        selection = Selection(
            name,
            arguments,
            documents,
            category=self.category,
            document_count=self.document_count,
            total_count="totalCount" in fields,
            has_next_page="hasNextPage" in fields,
        )
        return selection, cost

    def _document_selection(self, nodes: list[FieldNode]) -> tuple[DocumentSelection, int]:
        """Returns what is selected of each document of a list, and the cost of one."""
        counts: Counter[str] = Counter()
        previews: list[FieldNode] = []
        related: dict[str, RelatedSelection] = {}
        cost = 1
        for key, below in self.collector.below(nodes).items():
            field = below[0].name.value
            counts[field] += 1
            if field == "category":
                cost += self._category_cost(below)
            elif field == "preview":
                previews += below
            elif field == "related":
                limit = _related_limit(below[0], self.variables)
                each, cost_of_each = self._document_selection(below)
                related[key] = RelatedSelection(limit, each)
                cost += limit * cost_of_each
        selection = DocumentSelection(
            counts["html"],
            counts["markdown"],
            excerpt="excerpt" in counts,
            author="author" in counts,
            word_count="wordCount" in counts,
            preview=self._preview_selection(previews, counts["preview"]) if previews else None,
            related=related,
        )
        return selection, cost

    def _preview_selection(self, nodes: list[FieldNode], times: int) -> DocumentSelection:
        """Returns what is selected of a preview; `times` is under how many keys it is in the response."""
        counts = Counter(below[0].name.value for below in self.collector.below(nodes).values())
        return DocumentSelection(counts["html"] * times, counts["markdown"] * times, "excerpt" in counts)

    def _category_cost(self, nodes: list[FieldNode]) -> int:
        """Returns the cost of a category with what is selected below it; sets `category` and `document_count`."""
        self.category = True
        cost = 1
        for below in self.collector.below(nodes).values():
            field = below[0].name.value
            if field == "category":
                cost += self._category_cost(below)
            elif field == "children":
                cost += CHILDREN_COST * self._category_cost(below)
            elif field == "documentCount":
                self.document_count = True
        return cost


def _related_limit(node: FieldNode, variables: VariableValues) -> int:
    """Returns the limit of a list of related documents. Raises `GraphQLError` for one out of range."""
    arguments = get_argument_values(DOCUMENT_FIELDS["related"], node, variables)
    try:
        limit: int = load(RelatedPage, {name: value for name, value in arguments.items() if value is not None})["limit"]
    except HttpApiDecodeError as error:
        raise GraphQLError("", node, original_error=error) from error
    return limit


def _cost(name: str, arguments: Mapping[str, Any], each: int, categories: Callable[[], int]) -> int:
    if name == "categories":
        return each * categories()
    if name not in PAGES:
        return each
    try:
        page = page_of(arguments)
    except Refusal:
        return 0  # refused at its place in the answer, and not read
    return each * int(page["limit"]) + int(page["offset"]) // OFFSET_COST


def _schema_fields(collector: FieldCollector, nodes: list[FieldNode], times: int) -> int:
    """Returns how many fields a response can have at and below a field of introspection that it has `times` times."""
    count = times
    for below in collector.below(nodes).values():
        count += _schema_fields(collector, below, times * LIST_LENGTHS.get(below[0].name.value, 1))
    return count
