"""Where a text cites sources: `[^s3]`, a reference to a footnote that the text does not define (decisions, section 22).

One pass over the parser's XML, for which each reference gets an empty definition.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from operator import itemgetter

from app.core.text.markdown import parsed_xml, with_definitions

_MARKER = re.compile(r"\[\^s([1-9][0-9]{0,8})\]")
_UPPER_CASE = re.compile(r"\[\^S[1-9][0-9]*\]")
"""To the parser, which ignores case, the same; by the contract no reference."""
_LABEL = re.compile(r's([1-9][0-9]*)"')
_LINE_END = re.compile(r"\r\n|\r|\n")
_PART = re.compile(
    r'<(?:/(\w+)|(\w+) sourcepos="(\d+):(\d+)-[^"]*+"([^>]*+))>(?:(?<=xml:space="preserve">)([^<]*+)</\w+>)?'
)
"""An element that is text, whole; of any other its start or its end."""
_BLOCKS = frozenset({"block_quote", "table", "paragraph", "heading"})
_ADDRESS = re.compile(r"(?:(?:https?|ftp)://|www\.)[^\s<>]++|(?<![\w.+-])[\w.+-]++@[\w-]++\.\w[\w.-]*+", re.IGNORECASE)

LEFT_OUT = "…"
"""What stands for code and addresses in the text of a block."""


@dataclass
class Block:
    """A leaf block of a text, a table or a block quote, as plain text without code and addresses."""

    line: int
    is_quote: bool = False
    text: str = ""
    cites: list[int] = field(default_factory=list)
    """The numbers of the sources that it cites, in order."""
    starts: list[tuple[int, int]] = field(default_factory=list)
    """Where its parts begin in `text`, each with its line."""

    def line_at(self, place: int) -> int:
        """Returns the line of a place in the text."""
        found = bisect_right(self.starts, place, key=itemgetter(0))
        return self.starts[found - 1][1] if found else self.line


@dataclass
class Citations:
    """What a text cites, in its order."""

    blocks: Sequence[Block]
    lines: Mapping[int, int]
    """The numbers of the cited sources, known or not, each with the line of its first reference."""
    upper_case: Sequence[tuple[int, int]]
    """The lines and columns, in bytes, of what is a reference to the parser alone."""


def cites_any(markdown: str) -> bool:
    """Returns whether a text may cite a source; it is fast, and may be wrong in code."""
    return _MARKER.search(markdown) is not None


def citations_of(markdown: str) -> Citations:
    """Returns the blocks of a text, and what they cite."""
    labels = {f"s{number}" for number in _MARKER.findall(markdown)}
    whole, before = with_definitions(markdown, dict.fromkeys(labels, ""))
    reader = _Reader(before, _LINE_END.split(whole) if _UPPER_CASE.search(markdown) else ())
    for part in _PART.finditer(parsed_xml(whole)):
        reader.read(*part.groups())
    for block in reader.blocks:
        block.cites = [number for number in block.cites if number not in reader.defined]
    lines = {number: line for number, line in reader.lines.items() if number not in reader.defined}
    return Citations(reader.blocks, lines, reader.upper_case)


class _Reader:
    """Reads the parts of the XML into blocks, of which the outermost counts."""

    def __init__(self, before: int, source: Sequence[str]) -> None:
        self.blocks: list[Block] = []
        self.lines: dict[int, int] = {}
        self.defined: set[int] = set()
        """The numbers of footnotes that the text defines itself."""
        self.upper_case: list[tuple[int, int]] = []
        self._before, self._source = before, source
        self._opened: list[str] = []
        self._images = 0
        self._parts: list[str] = []
        self._length = 0

    def read(self, ended: str, begun: str, line: str, column: str, attributes: str, text: str | None) -> None:
        if begun == "footnote_reference":
            self._refer(int(line), int(column), attributes)
        elif begun == "footnote_definition":
            self._define(int(line), attributes)
        elif begun == "image" and not attributes.endswith("/"):
            self._images += 1
        elif ended == "image":
            self._images -= 1
        elif self._opened and begun in ("softbreak", "linebreak", "table_cell"):
            self._add("\n", int(line))
        elif self._opened and begun in ("text", "code") and not self._images:
            self._add(LEFT_OUT if begun == "code" else unescape(text or ""), int(line))
        elif begun in _BLOCKS and not attributes.endswith("/"):
            self._begin(begun, int(line))
        elif ended in _BLOCKS:
            self._end(ended)

    def _begin(self, kind: str, line: int) -> None:
        if not self._opened:
            self.blocks.append(Block(line - self._before, kind == "block_quote"))
        elif self._parts:
            self._add("\n", line)
        self._opened.append(kind)

    def _end(self, kind: str) -> None:
        self._opened.pop()
        if not self._opened:
            self.blocks[-1].text = _ADDRESS.sub(
                lambda found: LEFT_OUT + " " * (len(found[0]) - 1), "".join(self._parts)
            )
            self._parts, self._length = [], 0

    def _add(self, text: str, line: int) -> None:
        starts = self.blocks[-1].starts
        if not starts or starts[-1][1] != line - self._before:
            starts.append((self._length, line - self._before))
        self._parts.append(text)
        self._length += len(text)

    def _refer(self, line: int, column: int, attributes: str) -> None:
        found = _LABEL.search(attributes)
        if found is None or not self.blocks:
            return
        if self._source and self._source[line - 1].encode()[column - 1 : column + 2] == b"[^S":
            self.upper_case.append((line - self._before, column))
            return
        self.blocks[-1].cites.append(int(found[1]))
        self.lines.setdefault(int(found[1]), line - self._before)

    def _define(self, line: int, attributes: str) -> None:
        found = _LABEL.search(attributes)
        if found and line > self._before:
            self.defined.add(int(found[1]))


def without_upper_case(markdown: str, places: Iterable[tuple[int, int]]) -> str:
    """Returns a text in which what is a reference to the parser alone is escaped."""
    marked = set(places)
    if not marked:
        return markdown
    parts = re.split(r"(\r\n|\r|\n)", markdown)
    for number in {line for line, _ in marked}:
        line = parts[2 * number - 2].encode()
        for column in sorted((column for one, column in marked if one == number), reverse=True):
            line = line[: column - 1] + b"\\" + line[column - 1 :]
        parts[2 * number - 2] = line.decode()
    return "".join(parts)
