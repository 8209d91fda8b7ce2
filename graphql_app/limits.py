"""How large a query may be: bytes, tokens, depth, aliases, cost (decisions, section 7).

All but the cost are judged before the query is validated, as validating is the dearest part. Each takes time that
grows with the query's length and no faster: a fragment is measured once, however often it is spread.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSyntaxError,
    Lexer,
    SelectionSetNode,
    Source,
    TokenKind,
    parse,
)
from graphql.language.parser import MAX_NESTING_DEPTH

from graphql_app.errors import QueryRefused, refused

MAX_BYTES = 20 * 1024
MAX_TOKENS = 1_000
MAX_DEPTH = 8
MAX_ALIASES = 15
MAX_COST = 5_000

OPENING = (TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L)
CLOSING = (TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R)

Fragments = Mapping[str, FragmentDefinitionNode]


def parsed(text: str) -> DocumentNode:
    """Returns a query's syntax tree. Refuses what is too long, in bytes or tokens, and what is no GraphQL."""
    if len(text) > MAX_BYTES or len(text.encode()) > MAX_BYTES:
        raise refused("QUERY_TOO_LARGE", f"A query has at most {MAX_BYTES:,} bytes.")
    try:
        return parse(text, max_lexical_tokens=MAX_TOKENS, max_comments=MAX_TOKENS)
    except GraphQLSyntaxError as error:
        raise _too_much(text) or QueryRefused([error]) from None


def check(document: DocumentNode, fragments: Fragments) -> None:
    """Refuses a query, whose fragments are known to form no cycles, that is too deep or has too many aliases."""
    size = _Size(fragments)
    for definition in document.definitions:
        if (chosen := getattr(definition, "selection_set", None)) is not None:
            depth = size.depth(chosen)
            if depth > MAX_DEPTH:
                raise refused("QUERY_TOO_DEEP", f"A query is at most {MAX_DEPTH} fields deep.", definition)
    if size.aliases > MAX_ALIASES:
        raise refused("TOO_MANY_ALIASES", f"A query has at most {MAX_ALIASES} aliases; this one has {size.aliases}.")


class _Size:
    """Measures selections: their depth, fragments included and introspection aside, and the aliases met."""

    def __init__(self, fragments: Fragments) -> None:
        self._fragments = fragments
        self._depths: dict[str, int] = {}
        self.aliases = 0

    def depth(self, chosen: SelectionSetNode | None) -> int:
        return max(map(self._depth_of, chosen.selections), default=0) if chosen else 0

    def _depth_of(self, node: object) -> int:
        if isinstance(node, FragmentSpreadNode):
            return self._fragment_depth(node.name.value)
        below = self.depth(node.selection_set)  # type: ignore[attr-defined]
        if not isinstance(node, FieldNode):
            return below
        self.aliases += node.alias is not None
        return 0 if node.name.value.startswith("__") else below + 1

    def _fragment_depth(self, name: str) -> int:
        if name not in self._depths and name in self._fragments:
            before = self.aliases
            self._depths[name] = self.depth(self._fragments[name].selection_set)
            self.aliases = before  # each counts where it is written
        return self._depths.get(name, 0)


def _too_much(text: str) -> QueryRefused | None:
    """Returns why a text that did not parse is too much, where it is: the parser's errors have no codes."""
    lexer, tokens, nested = Lexer(Source(text)), 0, 0
    try:
        while (token := lexer.advance()).kind != TokenKind.EOF:
            tokens += 1
            nested += (token.kind in OPENING) - (token.kind in CLOSING)
            if tokens > MAX_TOKENS:
                return refused("TOO_MANY_TOKENS", f"A query has at most {MAX_TOKENS:,} tokens.")
            if nested > MAX_NESTING_DEPTH:
                return refused("QUERY_TOO_DEEP", f"A query is at most {MAX_DEPTH} fields deep.")
    except GraphQLSyntaxError:
        return None
    return None
