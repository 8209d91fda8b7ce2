"""The headings, links, images, paragraphs, footnotes and text of a document's markdown, each with its line.

Links and images in raw html are included. One pass over the parser's XML finds everything. A text of 2 MB can have
millions of parts, so the pass does little for each.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import unescape
from itertools import islice

from app.core.text.long_texts import remembered
from app.core.text.markdown import parsed_xml, with_markers_defined

MOST_PARTS = 300_000
"""Maximum number of parts of a text that are read: four times what people write in 2 MB, and about a second's work."""

OPENING = 20_000
"""Maximum number of characters of a text's opening."""

MAX_HEADINGS = 10_000
"""Maximum number of headings that are read; 2 MB can hold a million, whose outline would take 2 GB of memory."""

_HEADING = re.compile(r'\n  <heading sourcepos="(\d+):[^"]*+" level="(\d)"(?: />|>(\n.*?)\n  </heading>)', re.DOTALL)
"""A heading outside of quotes and lists in the parser's XML; to find none takes 20 times as long with `^` for `\\n`."""
_TITLE_PART = re.compile(r"<(?:(?:text|code) [^>]*+>([^<]*+)|(?:soft|line)break )")
_PART = re.compile(
    r'<(?:/(\w+)|(\w+) sourcepos="(\d+):(\d+)-[^"]*+"([^>]*+))>(?:(?<=xml:space="preserve">)([^<]*+)</\w+>)?'
)
"""An element that is text, whole; of any other its start or its end."""
_BREAKS = frozenset({"softbreak", "linebreak"})
_CONTAINERS = frozenset({"alert", "block_quote", "footnote_definition", "list"})
_BLOCKS = frozenset({"heading", "paragraph", "table_cell"})
_FOOTNOTE = re.compile(r'<footnote_(reference|definition) sourcepos="(\d+):(\d+)-[^"]*+" label="([^"]*+)"')
_QUOTABLE = frozenset({"block_quote", "heading", "paragraph", "table"})
"""The elements of which the outermost is a `Block`."""
_HIDDEN = frozenset({"script", "style"})
_CODE = _HIDDEN | {"code", "pre"}
"""The elements of raw html whose content is not prose."""
_HTML = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|</(?P<ends>[a-z][a-z0-9-]*)[^<>]*+>"
    r"|<(?P<begins>[a-z][a-z0-9-]*)(?P<attributes>(?:\"[^\"]*\"|'[^']*'|[^'\"<>])*+)>",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?<![\w-])(href|src|alt)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")

Heading = tuple[int, str, int]
"""The level, the text and the line of a heading."""
Passage = tuple[str, int]
"""A piece of text, and the line where it begins."""
Reference = tuple[str, int, int]
"""The label of a footnote reference, and its line and column, in bytes."""
LEFT_OUT = "…"
"""What stands for code in the text of a block."""


@dataclass
class Block:
    """A paragraph, heading, table or block quote, the outermost of nested, as plain text without raw html."""

    line: int
    is_quote: bool
    text: str = ""
    lines: list[tuple[int, int]] = field(default_factory=list)
    """Where each line begins in `text`, with its number."""
    references: list[Reference] = field(default_factory=list)
    """The footnotes that it refers to."""


@dataclass
class Content:
    """The content of a document, each list in the order of the text; lines are numbered from 1."""

    headings: list[Heading]
    """The first 10,000 headings outside of quotes, lists and code."""
    whole: bool = True
    """False when the text has more parts than the caller asked for."""
    images: list[tuple[str, str, int]] = field(default_factory=list)
    """The address, alternative text and line of each image."""
    links: list[Passage] = field(default_factory=list)
    """The addresses of links, including bare ones and those in raw html."""
    paragraphs: list[Passage] = field(default_factory=list)
    """The text of each paragraph, also of a list whose items are apart."""
    prose: list[Passage] = field(default_factory=list)
    """The text of each paragraph, heading, list item and cell, without code."""
    raw_html: list[Passage] = field(default_factory=list)
    """The raw html, block by block and tag by tag."""
    blocks: list[Block] = field(default_factory=list)
    opening: str = ""
    """The first 20,000 characters that a reader sees, including code."""
    references: list[Reference] = field(default_factory=list)
    """The references to footnotes of the whole text, and the markers of which it has no definition."""
    defined: set[str] = field(default_factory=set)
    """The labels of the footnotes that the text defines."""


def content_of(markdown: str) -> Content:
    """Returns a document's content: its headings and references, and the rest only of its first 300,000 parts.

    A part is the start or the end of an element, a run of text, or a line break.
    """
    markdown, before = with_markers_defined(markdown)
    xml = parsed_xml(markdown)
    content = Content(_headings(xml, before))
    for kind, line, column, label in _FOOTNOTE.findall(xml):
        if kind == "reference":
            content.references.append((label, int(line) - before, int(column)))
        elif int(line) > before:
            content.defined.add(label)
    parts = _PART.finditer(xml)
    _read(content, islice(parts, MOST_PARTS), before)
    content.whole = next(parts, None) is None
    return content


class LastContent:
    """The content of the text that a call read last, so that all who need it share one parse."""

    _last: tuple[str, Content] | None = None

    def of(self, markdown: str) -> Content:
        """Returns the content of a text."""
        last = self._last
        if last is None or last[0] != markdown:
            self._last = last = (markdown, content_of(markdown))
        return last[1]


@remembered(100_000, len)
def headings_of(markdown: str) -> list[Heading]:
    """Returns the first 10,000 headings of a document's markdown outside of quotes, lists and code."""
    markdown, before = with_markers_defined(markdown)
    return _headings(parsed_xml(markdown), before)


def _headings(xml: str, before: int) -> list[Heading]:
    found = islice(_HEADING.finditer(xml), MAX_HEADINGS)
    return [(int(one[2]), _title(one[3] or ""), int(one[1]) - before) for one in found]


def _title(inlines: str) -> str:
    text = "".join(part or " " for part in _TITLE_PART.findall(inlines))
    return " ".join(unescape(text).split())


def _read(content: Content, parts: Iterable[re.Match[str]], before: int) -> None:
    """Fills in the content, in one long loop without a function call for each part; `before` lines are not its own."""
    html, blocks = _RawHtml(content), _Blocks(content, before)
    block, opening, plain = html.block, html.opening, blocks.parts
    image = "", 0
    alt: list[str] = []
    tight: list[bool] = []
    images = 0
    for part in parts:
        ended, begun, line, column, attributes, text = part.groups()
        if text is not None or begun in _BREAKS:
            text = unescape(text) if text else "\n"
            if begun == "html_inline" or begun == "html_block":
                if not images and int(line) > before:
                    html.read(text, int(line) - before)
            elif images:
                alt.append(text)
            else:
                if blocks.depth and begun != "code_block":
                    plain.append((LEFT_OUT if begun == "code" else text, line))
                if len(opening) < OPENING:
                    opening.append(text)
                if begun != "code" and begun != "code_block" and not html.element:
                    block.append(text)
            if begun == "html_block" or begun == "code_block":
                html.end_block(int(line) - before)
            continue
        if begun in _QUOTABLE:
            if not attributes.endswith("/"):
                blocks.begin(begun, line)
        elif ended in _QUOTABLE:
            blocks.end()
        if begun in _BLOCKS:
            block_line = int(line) - before
            if begun == "table_cell" and blocks.depth:
                plain.append(("\n", line))
        elif ended in _BLOCKS:
            html.end_block(block_line, ended == "paragraph" and not (tight and tight[-1]))
        elif begun in _CONTAINERS:
            if not attributes.endswith("/"):
                tight.append('tight="true"' in attributes)
        elif ended in _CONTAINERS:
            tight.pop()
        elif begun == "link" and not images:
            content.links.append((_address(attributes), int(line) - before))
        elif begun == "footnote_reference" and content.blocks:
            content.blocks[-1].references.append((_address(attributes), int(line) - before, int(column)))
        elif begun == "image" or ended == "image":
            if begun and not images:
                image, alt = (_address(attributes), int(line) - before), []
            images += 1 if begun else -1
            images -= bool(begun) and attributes.endswith("/")
            if not images:
                content.images.append((image[0], "".join(alt), image[1]))
    content.opening = "".join(opening)


def _address(attributes: str) -> str:
    """Returns the address of a link or image, or the label of a footnote, which is its first attribute."""
    return unescape(attributes.split('"', 2)[1])


class _Blocks:
    """Collects the text of the current block."""

    def __init__(self, content: Content, before: int) -> None:
        self.parts: list[tuple[str, str]] = []
        """Its text so far, each part with its line."""
        self.depth = 0
        self._content, self._before = content, before

    def begin(self, kind: str, line: str) -> None:
        """Begins a block, or a part of the one that is open."""
        if not self.depth:
            self._content.blocks.append(Block(int(line) - self._before, kind == "block_quote"))
        elif self.parts:
            self.parts.append(("\n", line))
        self.depth += 1

    def end(self) -> None:
        """Ends a block, or a part of it."""
        self.depth -= 1
        if self.depth:
            return
        block, length, last = self._content.blocks[-1], 0, ""
        for text, line in self.parts:
            if line != last:
                block.lines.append((length, int(line) - self._before))
                last = line
            length += len(text)
        block.text = "".join(text for text, _ in self.parts)
        self.parts.clear()


class _RawHtml:
    """Reads raw html into the content, and collects the text of the current block."""

    def __init__(self, content: Content) -> None:
        self.block: list[str] = []
        self.opening: list[str] = []
        self.element = ""
        """The open element of raw html whose content is not prose; an empty string for none."""
        self._content = content

    def read(self, html: str, line: int) -> None:
        """Adds raw html that begins in a line, with its links, images and text."""
        self._content.raw_html.append((html, line))
        end = counted = 0
        for found in _HTML.finditer(html):
            if end < found.start():
                self._text(html[end : found.start()])
            begins, ends = (found["begins"] or "").lower(), (found["ends"] or "").lower()
            if not self.element and begins in ("a", "img"):
                line += len(_LINE_END.findall(html, counted, found.start()))
                counted = found.start()
                self._add(begins, found["attributes"], line)
            if not self.element and begins in _CODE:
                self.element = begins
            elif ends and ends == self.element:
                self.element = ""
            end = found.end()
        if end < len(html):
            self._text(html[end:])

    def end_block(self, line: int, is_paragraph: bool = False) -> None:
        """Ends the current block of text, which begins in a line."""
        self.element = ""
        if len(self.opening) < OPENING and self.opening and self.opening[-1] != "\n":
            self.opening.append("\n")
        if self.block:
            passage = ("".join(self.block), line)
            self._content.prose.append(passage)
            if is_paragraph:
                self._content.paragraphs.append(passage)
            self.block.clear()

    def _text(self, text: str) -> None:
        text = unescape(text)
        if self.element not in _HIDDEN and len(self.opening) < OPENING:
            self.opening.append(text)
        if not self.element:
            self.block.append(text)

    def _add(self, name: str, attributes: str, line: int) -> None:
        values = {one[1].lower(): unescape(one[2] or one[3] or one[4] or "") for one in _ATTRIBUTE.finditer(attributes)}
        if name == "img":
            self._content.images.append((values.get("src", ""), values.get("alt", ""), line))
        elif "href" in values:
            self._content.links.append((values["href"], line))
