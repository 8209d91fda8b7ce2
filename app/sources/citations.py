"""Where a text cites sources: `[^s3]`, a reference to a footnote that it does not define (decisions, section 22)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

from app.core.text import content as texts
from app.core.text.content import LEFT_OUT, Content, Reference, content_of
from app.core.text.markdown import BYTE_ORDER_MARK

_MARKER = re.compile(r"\[\^s[1-9][0-9]{0,8}\]")
_UPPER_CASE = re.compile(r"\[\^S[1-9][0-9]*\]")
"""To the parser, which ignores case, the same; by the contract no reference."""
_LABEL = re.compile(r"s([1-9][0-9]*)")
_LINE_END = re.compile(rb"(\r\n|\r|\n)")
_ADDRESS = re.compile(r"(?:(?:https?|ftp)://|www\.)[^\s<>]++|(?<![\w.+-])[\w.+-]++@[\w-]++\.\w[\w.-]*+", re.IGNORECASE)


def cites_any(markdown: str) -> bool:
    """Returns whether a text may cite a source; it is fast, and may be wrong in code."""
    return _MARKER.search(markdown) is not None


@dataclass(frozen=True)
class Block:
    """A block of a text, as plain text without code and addresses, and the numbers of the sources that it cites."""

    block: texts.Block
    cites: Sequence[int]

    @cached_property
    def text(self) -> str:
        """Its text, in which `…` stands for code and addresses."""
        return _ADDRESS.sub(lambda found: LEFT_OUT + " " * (len(found[0]) - 1), self.block.text)

    def line_at(self, place: int) -> int:
        """Returns the line of a place in the text."""
        found = bisect_right(self.block.lines, place, key=itemgetter(0))
        return self.block.lines[found - 1][1] if found else self.block.line


class Citations:
    """The citations of a text, in its order."""

    def __init__(self, markdown: str, parse: Callable[[str], Content] = content_of) -> None:
        self._markdown, self._content = markdown.removeprefix(BYTE_ORDER_MARK), parse(markdown)
        self._lines = _LINE_END.split(self._markdown.encode()) if _UPPER_CASE.search(markdown) else []
        """The lines with their ends between them; none where nothing is written in upper case."""

    @cached_property
    def lines(self) -> Mapping[int, int]:
        """The numbers of the cited sources, known or not, each with the line of its first reference."""
        found: dict[int, int] = {}
        for one in self._content.references:
            if number := self._number(one):
                found.setdefault(number, one[1])
        return found

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """The blocks of the text."""
        return [Block(one, [*filter(None, map(self._number, one.references))]) for one in self._content.blocks]

    def without_upper_case(self) -> str:
        """Returns the text in which what is a reference to the parser alone is escaped."""
        places: dict[int, list[int]] = {}
        for _, line, column in sorted(filter(self._is_upper_case, self._content.references), key=itemgetter(1, 2)):
            places.setdefault(2 * line - 2, []).append(column - 1)
        lines = [*self._lines]
        for line, columns in places.items():
            lines[line] = b"\\".join(lines[line][start:end] for start, end in pairwise([0, *columns, None]))
        return b"".join(lines).decode() if lines else self._markdown

    def _number(self, reference: Reference) -> int | None:
        """Returns the number of the source that a reference cites, or None."""
        found = _LABEL.fullmatch(reference[0])
        is_source = found and reference[0] not in self._content.defined and not self._is_upper_case(reference)
        return int(found[1]) if found and is_source else None

    def _is_upper_case(self, reference: Reference) -> bool:
        _, line, column = reference
        return bool(self._lines) and self._lines[2 * line - 2].startswith(b"[^S", column - 1)
