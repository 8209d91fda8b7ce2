"""How large a query may be, before it is validated: bytes, tokens, nesting, depth and aliases (decisions, section 7).

Everything here takes time in proportion to the length of the query: a fragment is measured once, however often it is
spread, unlike in Strawberry's `QueryDepthLimiter`. graphql-core's own rules then see a document that is small enough to
validate.
"""

from collections.abc import Mapping
from typing import Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSyntaxError,
    Lexer,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    Source,
    TokenKind,
    Visitor,
    parse,
    visit,
)

from graphql_app.errors import query_error

MAX_BYTES: Final = 20 * 1024
MAX_TOKENS: Final = 1_000
MAX_DEPTH: Final = 8
MAX_ALIASES: Final = 15
MAX_FRAGMENTS: Final = 100
"""More take graphql-core over 10 ms to validate; no client's query of 1,000 tokens has so many."""
MAX_NESTING: Final = 60
"""How deep fields may be nested, with those of introspection; the deepest introspection query takes half of that."""

TOO_DEEP = f"A query is at most {MAX_DEPTH} fields deep."

OPENING = (TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L)
CLOSING = (TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R)

Fragments = Mapping[str, FragmentDefinitionNode]


class OnlyQueries(GraphQLError):
    """The document has a mutation or a subscription."""


def parse_query(text: str) -> DocumentNode:
    """Returns the syntax tree of a query. Raises `GraphQLError` for one that is over a limit or not GraphQL."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise query_error("QUERY_TOO_LARGE", f"A query has at most {MAX_BYTES:,} bytes.")
    source = Source(text)
    try:
        document = parse(source, max_lexical_tokens=MAX_TOKENS)
    except GraphQLSyntaxError:
        _check_tokens(source)
        raise
    _check_size(document)
    return document


def fragments_of(document: DocumentNode) -> Fragments:
    """Returns the fragments of a document by name."""
    return {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}


def without_repetitions(document: DocumentNode) -> DocumentNode:
    """Returns a document without the selections that repeat, letter by letter, another one beside them.

    It is valid exactly if the original is. graphql-core's rule that fields can be merged compares every two fields
    of a name.
    """
    return visit(document, _Repetitions())  # type: ignore[no-any-return]


class _Repetitions(Visitor):
    def leave_selection_set(self, node: SelectionSetNode, *_: object) -> SelectionSetNode | None:
        assert node.loc
        text = node.loc.source.body
        unique = {text[one.loc.start : one.loc.end]: one for one in node.selections if one.loc}
        if len(unique) == len(node.selections):
            return None
        return SelectionSetNode(selections=tuple(unique.values()), loc=node.loc)


def _check_tokens(source: Source) -> None:
    """Raises `GraphQLError` where the parser gave up for too many tokens, comments included, or too deep a nesting."""
    lexer, end, nesting, deepest = Lexer(source), 0, 0, 0
    for _ in range(MAX_TOKENS + 1):
        token = lexer.read_next_token(end)
        if token.kind == TokenKind.EOF:
            break
        end, nesting = token.end, nesting + (token.kind in OPENING) - (token.kind in CLOSING)
        deepest = max(deepest, nesting)
    else:
        raise query_error("TOO_MANY_TOKENS", f"A query has at most {MAX_TOKENS:,} tokens.")
    if deepest > MAX_NESTING:
        raise query_error("QUERY_TOO_DEEP", TOO_DEEP)


def _check_size(document: DocumentNode) -> None:
    """Raises `GraphQLError` for a document that is too deep, has too many aliases, or more than queries."""
    size = _Size(fragments_of(document))
    if len(size.fragments) > MAX_FRAGMENTS:
        raise query_error("GRAPHQL_VALIDATION_FAILED", f"A query has at most {MAX_FRAGMENTS} fragments.")
    for name in size.fragments:
        size.fragment_depth(name)
    for definition in document.definitions:
        if not isinstance(definition, OperationDefinitionNode):
            continue
        if definition.operation != OperationType.QUERY:
            message = "The delivery API is read-only: send a query."
            raise OnlyQueries(message, definition, extensions={"code": "GRAPHQL_VALIDATION_FAILED"})
        if size.depth(definition.selection_set) > MAX_DEPTH:
            raise query_error("QUERY_TOO_DEEP", TOO_DEEP, definition)
    if size.aliases > MAX_ALIASES:
        raise query_error("TOO_MANY_ALIASES", f"A query has at most {MAX_ALIASES} aliases, not {size.aliases}.")


class _Size:
    """Measures selections: their depth, with fragments and without introspection fields, and their aliases."""

    def __init__(self, fragments: Fragments) -> None:
        self.fragments = fragments
        self.aliases = 0
        self._nesting = 0
        self._depths: dict[str, int | None] = {}

    def depth(self, selections: SelectionSetNode | None) -> int:
        """Returns how many fields are nested; counts the aliases."""
        return max(map(self._depth_of, selections.selections), default=0) if selections else 0

    def fragment_depth(self, name: str) -> int:
        """Returns the depth of a fragment, measured once. Raises `GraphQLError` for one that spreads itself."""
        if name not in self.fragments:
            return 0  # a rule of graphql-core reports it
        if name not in self._depths:
            self._depths[name] = None
            self._depths[name] = self.depth(self.fragments[name].selection_set)
        depth = self._depths[name]
        if depth is None:
            message = f"The fragment {name!r} spreads itself."
            raise query_error("GRAPHQL_VALIDATION_FAILED", message, self.fragments[name])
        return depth

    def _depth_of(self, node: object) -> int:
        if isinstance(node, FragmentSpreadNode):
            return self.fragment_depth(node.name.value)
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise query_error("QUERY_TOO_DEEP", TOO_DEEP)
        below = self.depth(node.selection_set)  # type: ignore[attr-defined]
        self._nesting -= 1
        if not isinstance(node, FieldNode):
            return below
        self.aliases += node.alias is not None
        return 0 if node.name.value.startswith("__") else below + 1
