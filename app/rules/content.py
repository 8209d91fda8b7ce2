"""What a reader of a document's markdown finds, with lines: links, images, paragraphs and text.

Links and images that were written as raw html count, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from html.parser import HTMLParser

from app.rules.autolinks import linked
from app.rules.markdown import element_of, parsed_with_places

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BREAKS = {"SoftBreak": "\n", "HardBreak": "\n", "Rule": "\n"}


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
        reader.read(kind, value, start)
    return reader.finish()


class _Reader:
    """Gathers the content from the parser's events."""

    def __init__(self, markdown: str) -> None:
        self.content = Content()
        self._line_starts = [0, *(end.end() for end in _LINE_END.finditer(markdown.encode()))]
        self._html = _RawHtml(self.content)
        self._text: list[str] = []
        self._block: list[str] = []
        self._block_line = 1
        self._image: tuple[str, list[str], int] | None = None
        self._in_code = self._in_link = False

    def read(self, kind: str, value: object, start: int) -> None:
        """Takes one event that begins at a byte."""
        if kind in ("Start", "End"):
            name, details = element_of(value)
            (self._start if kind == "Start" else self._end)(name, details, start)
        elif kind in ("InlineHtml", "Html"):
            self._html.line = self._line(start)
            self._html.feed(str(value))
        elif kind in ("Text", "Code", *_BREAKS):
            self._add(kind, _BREAKS.get(kind) or str(value), start)

    def finish(self) -> Content:
        """Returns what was gathered."""
        self._flush("")
        self.content.text = "".join(self._text)
        return self.content

    def _start(self, name: str, details: dict[str, str], start: int) -> None:
        if name == "Image":
            self._image = (details["dest_url"], [], self._line(start))
        elif name == "Link":
            self._in_link = True
            self.content.links.append(Passage(details["dest_url"], self._line(start)))
        elif name not in ("Emphasis", "Strong", "Strikethrough"):
            self._flush("")
            self._block_line = self._line(start)
            self._in_code = name == "CodeBlock"

    def _end(self, name: str, details: object, start: int) -> None:
        if name == "Image" and self._image is not None:
            address, alt, line = self._image
            self.content.images.append(Image(address, "".join(alt), line))
            self._image = None
        elif name == "Link":
            self._in_link = False
        elif name not in ("Emphasis", "Strong", "Strikethrough"):
            self._flush(name)
            self._in_code = False

    def _add(self, kind: str, text: str, start: int) -> None:
        if self._image is not None:
            self._image[1].append(text)
            return
        self._text.append(text)
        if kind == "Code" or self._in_code:
            return
        self._block.append(text)
        if kind == "Text" and not self._in_link:
            addresses = (address for _, address in linked(text) if address)
            self.content.links += [Passage(address, self._line(start)) for address in addresses]

    def _flush(self, ended: str) -> None:
        """Ends a block of text."""
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


class _RawHtml(HTMLParser):
    """Adds the links and images of raw html."""

    def __init__(self, content: Content) -> None:
        super().__init__()
        self.line = 1
        self._content = content

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a" and values.get("href") is not None:
            self._content.links.append(Passage(values["href"] or "", self.line))
        elif tag == "img":
            self._content.images.append(Image(values.get("src") or "", values.get("alt") or "", self.line))
