"""What a reader of a document's markdown finds, with lines: links, images, paragraphs and text.

Links and images that were written as raw html count, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from html import unescape

from app.rules.autolinks import linked
from app.rules.html import HIDDEN
from app.rules.markdown import element_of, parsed_with_places

_LINE_END = re.compile(rb"\r\n|\r|\n")
_TEXT = ("Text", "Code", "SoftBreak", "HardBreak", "Rule")
_INSIDE_TEXT = ("Emphasis", "Strong", "Strikethrough")
_CODE = frozenset({*HIDDEN, "code", "pre"})
"""The elements of raw html whose content is no prose."""
_HTML = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|</(?P<ends>[a-z][a-z0-9-]*)[^<>]*+>"
    r"|<(?P<begins>[a-z][a-z0-9-]*)(?P<attributes>(?:\"[^\"]*\"|'[^']*'|[^'\"<>])*+)>",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?<![\w-])(href|src|alt)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """A piece of text, and the line of the markdown that it begins in, from 1."""

    text: str
    line: int


@dataclass(frozen=True)
class Image:
    """An image: its address and alternative text as written, and its line."""

    address: str
    alt: str
    line: int


@dataclass
class Content:
    """What a document holds, each list in the order of the text."""

    links: list[Passage] = field(default_factory=list)
    """The addresses of links."""
    images: list[Image] = field(default_factory=list)
    paragraphs: list[Passage] = field(default_factory=list)
    prose: list[Passage] = field(default_factory=list)
    """The text of each paragraph, heading, list item and cell, without code."""
    text: str = ""
    """All text that a reader sees, code too."""


def content_of(markdown: str) -> Content:
    """Returns what a document's markdown holds."""
    reader = _Reader(markdown)
    for kind, value, start in parsed_with_places(markdown):
        if kind in _TEXT:
            reader.text(kind, value or "\n", start)
        elif kind == "Start":
            reader.start(*element_of(value), start)
        elif kind == "End":
            reader.end(element_of(value)[0])
        elif kind in ("InlineHtml", "Html"):
            reader.html(kind, value, start)
    return reader.finish()


class _Reader:
    """Gathers the content from the parser's events, each of which begins at a byte."""

    def __init__(self, markdown: str) -> None:
        self.content = Content()
        self._line_starts = [0, *(end.end() for end in _LINE_END.finditer(markdown.encode()))]
        self._text: list[str] = []
        self._block: list[str] = []
        self._block_line = 1
        self._html: list[str] = []
        self._image: tuple[str, list[str], int] | None = None
        self._in_code = self._in_link = False
        self._element = ""
        """The element of raw html around the text whose content is no prose."""

    def start(self, name: str, details: dict[str, str], start: int) -> None:
        """Begins an element."""
        if name in _INSIDE_TEXT:
            return
        if name == "Image":
            self._image = (details["dest_url"], [], self._line(start))
        elif name == "Link":
            self._in_link = True
            self.content.links.append(Passage(details["dest_url"], self._line(start)))
        else:
            self._flush("")
            self._block_line = self._line(start)
            self._in_code = name == "CodeBlock"

    def end(self, name: str) -> None:
        """Ends an element."""
        if name in _INSIDE_TEXT:
            return
        if name == "Image" and self._image is not None:
            address, alt, line = self._image
            self.content.images.append(Image(address, "".join(alt), line))
            self._image = None
        elif name == "Link":
            self._in_link = False
        else:
            if name == "HtmlBlock":
                self._read_html("".join(self._html), self._block_line)
                self._html = []
            self._flush(name)
            self._in_code = False

    def text(self, kind: str, text: str, start: int) -> None:
        """Adds text."""
        if self._image is not None:
            self._image[1].append(text)
            return
        self._text.append(text)
        if kind == "Code" or self._in_code or self._element:
            return
        self._block.append(text)
        if kind == "Text" and not self._in_link and ("://" in text or "@" in text or "www." in text.lower()):
            addresses = (address for _, address in linked(text) if address)
            self.content.links += [Passage(address, self._line(start)) for address in addresses]

    def html(self, kind: str, html: str, start: int) -> None:
        """Adds raw html: a tag inside of text, or a line of a block."""
        if kind == "Html":
            self._html.append(html)
        else:
            self._read_html(html, self._line(start))

    def finish(self) -> Content:
        """Returns what was gathered."""
        self._flush("")
        self.content.text = "".join(self._text)
        return self.content

    def _read_html(self, html: str, line: int) -> None:
        """Adds the links, images and text of raw html that begins in a line."""
        end = 0
        for found in _HTML.finditer(html):
            self._html_text(html[end : found.start()])
            line += html.count("\n", end, found.start())
            begins, ends = (found["begins"] or "").lower(), (found["ends"] or "").lower()
            if not self._element and begins in ("a", "img"):
                self._html_element(begins, found["attributes"], line)
            if not self._element and begins in _CODE:
                self._element = begins
            elif ends and ends == self._element:
                self._element = ""
            end = found.end()
            line += html.count("\n", found.start(), end)
        self._html_text(html[end:])

    def _html_text(self, text: str) -> None:
        if text and self._element not in HIDDEN:
            self._text.append(unescape(text))
        if text and not self._element:
            self._block.append(unescape(text))

    def _html_element(self, name: str, attributes: str, line: int) -> None:
        values = {one[1].lower(): unescape(one[2] or one[3] or one[4] or "") for one in _ATTRIBUTE.finditer(attributes)}
        if name == "img":
            self.content.images.append(Image(values.get("src", ""), values.get("alt", ""), line))
        elif "href" in values:
            self.content.links.append(Passage(values["href"], line))

    def _flush(self, ended: str) -> None:
        """Ends a block of text."""
        self._element = ""
        if self._text and self._text[-1] != "\n":
            self._text.append("\n")
        if self._block:
            passage = Passage("".join(self._block), self._block_line)
            self.content.prose.append(passage)
            if ended == "Paragraph":
                self.content.paragraphs.append(Passage(" ".join(passage.text.split()), passage.line))
            self._block = []

    def _line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset)
