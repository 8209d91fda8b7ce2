"""How large a query may be: bytes, tokens, depth, aliases, cost (decisions, section 7).

All but the cost are judged before the query is validated, as validating is the dearest part. Each takes time that
grows with the query's length and no faster: a fragment is measured once, however often it is spread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    SelectionSetNode,
    parse,
)

from graphql_app.errors import QueryRefused, coded, refused

MAX_BYTES: Final = 20 * 1024
MAX_TOKENS: Final = 1_000
MAX_DEPTH: Final = 8
MAX_ALIASES: Final = 15
MAX_COST: Final = 5_000
MAX_NESTING: Final = 60
"""How deep brackets of any kind may stand inside each other; the deepest introspection there is takes half of that."""

TOKEN = re.compile(
    r'"""(?:[^"\\]|\\"""|\\|"(?!""))*(?:""")?'  # a block string, or what begins like one: nothing is read twice
    r'|"(?:[^"\\\n\r]|\\.)*"?'  # a string, or what begins like one
    r"|#[^\n\r]*|[A-Za-z_]\w*|-?[0-9][0-9.eE+-]*|\.\.\."  # a comment, a name, a number, a spread
    r"|[^\s,\ufeff]",  # a bracket, another sign, or what is no token at all
    re.ASCII,
)

Fragments = Mapping[str, FragmentDefinitionNode]


def parsed(text: str) -> DocumentNode:
    """Returns a query's syntax tree. Refuses what is too long, in bytes or tokens, and what is no GraphQL."""
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise refused("QUERY_TOO_LARGE", f"A query has at most {MAX_BYTES:,} bytes.")
    _count_tokens(text)
    try:
        return parse(text, max_lexical_tokens=MAX_TOKENS)
    except GraphQLSyntaxError as error:
        raise QueryRefused([error]) from None


def check(document: DocumentNode, fragments: Fragments) -> None:
    """Refuses a query that is too deep, has too many aliases, or fragments that spread themselves."""
    size = _Size(fragments)
    for name in fragments:
        size.fragment_depth(name)
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode) and size.depth(definition.selection_set) > MAX_DEPTH:
            raise refused("QUERY_TOO_DEEP", f"A query is at most {MAX_DEPTH} fields deep.", definition)
    if size.aliases > MAX_ALIASES:
        raise refused("TOO_MANY_ALIASES", f"A query has at most {MAX_ALIASES} aliases; this one has {size.aliases}.")


def _count_tokens(text: str) -> None:
    """Refuses what has too many tokens, comments counted, or brackets that are nested too deep to be parsed.

    A parser that gives up does not say for which reason, and takes ten times as long to find out.
    """
    tokens = TOKEN.findall(text)
    if len(tokens) > MAX_TOKENS:
        raise refused("TOO_MANY_TOKENS", f"A query has at most {MAX_TOKENS:,} tokens.")
    nested = 0
    for token in tokens:
        if token in "([{":
            nested += 1
            if nested > MAX_NESTING:
                raise refused("QUERY_TOO_DEEP", f"A query is at most {MAX_DEPTH} fields deep.")
        elif token in ")]}":
            nested -= 1


class _Size:
    """Measures selections: their depth, fragments included and introspection aside, and the aliases met."""

    def __init__(self, fragments: Fragments) -> None:
        self._fragments = fragments
        self._depths: dict[str, int | None] = {}
        self.aliases = 0

    def depth(self, chosen: SelectionSetNode | None) -> int:
        """Returns how many fields stand inside each other; counts the aliases that are written there."""
        return max(map(self._depth_of, chosen.selections), default=0) if chosen else 0

    def fragment_depth(self, name: str) -> int:
        """Returns the depth of a fragment, measured once. Refuses one that spreads itself."""
        if name not in self._fragments:
            return 0  # validating will say so
        if name not in self._depths:
            self._depths[name] = None
            self._depths[name] = self.depth(self._fragments[name].selection_set)
        known = self._depths[name]
        if known is None:
            message = f"The fragment {name!r} spreads itself."
            raise QueryRefused([coded(message, "GRAPHQL_VALIDATION_FAILED", self._fragments[name])])
        return known

    def _depth_of(self, node: object) -> int:
        if isinstance(node, FragmentSpreadNode):
            return self.fragment_depth(node.name.value)
        below = self.depth(node.selection_set)  # type: ignore[attr-defined]
        if not isinstance(node, FieldNode):
            return below
        self.aliases += node.alias is not None
        return 0 if node.name.value.startswith("__") else below + 1
