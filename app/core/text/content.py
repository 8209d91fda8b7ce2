"""The headings, links, images, paragraphs and text of a document's markdown, each with its position.

Links and images in raw html are included. One pass over the parser's events finds everything. A text of 2 MB can have
millions of events, so the pass does little for each; what is seldom used is computed on first use.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from itertools import accumulate, islice
from operator import itemgetter
from typing import Any

from app.core.text.markdown import events_with_places, linked, protected, restored

OPENING = 20_000
"""The most characters of a text's opening."""

MAX_HEADINGS = 10_000
"""The most headings that are read; 2 MB can hold a million, whose outline would take 2 GB of memory."""

_LINE_END = re.compile(rb"\r\n|\r|\n")
_INSIDE_TEXT = frozenset({"Emphasis", "Strong", "Strikethrough"})
_CONTAINERS = frozenset({"BlockQuote", "List"})
_BREAKS = frozenset({"SoftBreak", "HardBreak"})
_HIDDEN = frozenset({"script", "style"})
_CODE = _HIDDEN | {"code", "pre"}
"""The elements of raw html whose content is not prose."""
_TAG = re.compile(rf"</?(?:{'|'.join(sorted({*_CODE, 'a', 'img'}))})(?![\w-])", re.IGNORECASE)
"""The beginning of each tag that is read."""
_HTML = re.compile(
    r"<!--(?:.*?-->|.*)"
    r"|</(?P<ends>[a-z][a-z0-9-]*)[^<>]*+>"
    r"|<(?P<begins>[a-z][a-z0-9-]*)(?P<attributes>(?:\"[^\"]*\"|'[^']*'|[^'\"<>])*+)>",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"(?<![\w-])(href|src|alt)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.IGNORECASE)
_SHORTEST_ADDRESS = len("a@b.c")

Passage = tuple[str, int]
"""A piece of text and its position: the byte of `Content.read` where it begins; in raw html, that of its line."""


@dataclass
class Content:
    """The content of a document, each list in the order of the text."""

    source: bytes
    """The markdown in UTF-8."""
    read: bytes
    """The markdown as the parser reads it, with bare addresses protected: line by line the same."""
    whole: bool = True
    """False when the text has more parts than the caller asked for."""
    headings: list[tuple[int, str, int]] = field(default_factory=list)
    """The level, text and position of the first 10,000 headings outside of quotes, lists and code."""
    images: list[tuple[str, str, int]] = field(default_factory=list)
    """The address, alternative text and position of each image."""
    paragraphs: list[Passage] = field(default_factory=list)
    prose: list[Passage] = field(default_factory=list)
    """The text of each paragraph, heading, list item and cell, without code."""
    opening: str = ""
    """The first 20,000 characters that a reader sees, including code."""
    marked_links: list[Passage] = field(default_factory=list)
    """The addresses of links in markdown syntax and in raw html."""
    perhaps_links: list[Passage] = field(default_factory=list)
    """Pieces of text outside of links that may contain bare addresses."""

    @cached_property
    def links(self) -> list[Passage]:
        """The addresses of all links, including bare ones."""
        bare = [(address, place) for text, place in self.perhaps_links for _, address in linked(text) if address]
        return sorted(self.marked_links + bare, key=itemgetter(1)) if bare else self.marked_links

    @cached_property
    def _lines_read(self) -> list[int]:
        return _line_starts(self.read)

    @cached_property
    def _lines(self) -> list[int]:
        return self._lines_read if self.read == self.source else _line_starts(self.source)

    def line(self, place: int) -> int:
        """Returns the number of the line that contains a position, from 1."""
        return bisect_right(self._lines_read, place)

    def line_start(self, place: int) -> int:
        """Returns the byte of the markdown at which the line that contains a position begins."""
        return self._lines[self.line(place) - 1]


def content_of(markdown: str, most_parts: int | None = None) -> Content:
    """Returns the content of a document's markdown, or only of its first `most_parts` parts if that is given.

    A part is an event of the parser: the start or the end of an element, a run of text, a line break.
    """
    text = protected(markdown)
    content = Content(markdown.encode(), text.encode())
    events = iter(events_with_places(text))
    if text != markdown:
        events = ((_restored(event), place) for event, place in events)
    _read(content, islice(events, most_parts))
    content.whole = next(events, None) is None
    return content


def _restored(event: Any) -> Any:
    """Returns an event, or a part of one, with the protected characters of the markdown restored."""
    if isinstance(event, dict):
        return {name: _restored(inner) for name, inner in event.items()}
    return restored(event) if isinstance(event, str) else event


def _line_starts(text: bytes) -> list[int]:
    return [0, *(end.end() for end in _LINE_END.finditer(text))]


def _read(content: Content, events: Iterable[tuple[Any, Any]]) -> None:
    """Fills in the content, in one long loop without a function call for each event."""
    html = _RawHtml(content)
    block, opening = html.block, html.opening
    lines_of_html: list[Passage] = []
    image = "", 0
    alt: list[str] = []
    title: list[str] | None = None
    in_code = in_link = False
    block_place = depth = level = title_place = images = 0
    kind: str
    value: Any
    for event, place in events:
        if event.__class__ is str:
            kind, value = event, "\n"
        else:
            [kind] = event
            value = event[kind]
        if kind == "Text" or kind == "Code" or kind in _BREAKS:
            if title is not None:
                title.append(value)
            if images:
                alt.append(value)
                continue
            if len(opening) < OPENING:
                opening.append(value)
            if kind == "Code" or in_code or html.element:
                continue
            block.append(value)
            if (
                len(value) >= _SHORTEST_ADDRESS
                and not in_link
                and ("://" in value or "@" in value or "www." in value.lower())
            ):
                content.perhaps_links.append((value, place["start"]))
        elif kind == "End":
            name = value if value.__class__ is str else next(iter(value))
            if name in _INSIDE_TEXT:
                continue
            if name == "Link":
                in_link = False
                continue
            if name == "Image":
                images -= 1
                if not images:
                    content.images.append((image[0], "".join(alt), image[1]))
                continue
            if name == "HtmlBlock":
                html.read(lines_of_html)
                lines_of_html = []
            elif name == "Heading" and title is not None:
                content.headings.append((level, " ".join("".join(title).split()), title_place))
                title = None
            elif name in _CONTAINERS:
                depth -= 1
            if block or opening:
                html.end_block(block_place, name)
            in_code, html.element = False, ""
        elif kind == "Start":
            name = value if value.__class__ is str else next(iter(value))
            if name in _INSIDE_TEXT:
                continue
            if name == "Link":
                if not images:
                    in_link = True
                    content.marked_links.append((value[name]["dest_url"], place["start"]))
                continue
            if name == "Image":
                images += 1
                if images == 1:
                    image, alt = (value[name]["dest_url"], place["start"]), []
                continue
            if block:
                html.end_block(block_place, "")
            block_place, in_code, html.element = place["start"], name == "CodeBlock", ""
            if name == "Heading" and depth == 0 and len(content.headings) < MAX_HEADINGS:
                level, title, title_place = int(value[name]["level"][1:]), [], block_place
            elif name in _CONTAINERS:
                depth += 1
        elif kind == "InlineHtml":
            if not images and _TAG.match(value):
                html.read([(value, place["start"])])
        elif kind == "Html":
            lines_of_html.append((value, place["start"]))
    html.end_block(block_place, "")
    content.opening = "".join(opening)


class _RawHtml:
    """Reads raw html into the content, and collects the text of the current block."""

    def __init__(self, content: Content) -> None:
        self.block: list[str] = []
        self.opening: list[str] = []
        self.element = ""
        """The open element of raw html whose content is not prose; an empty string for none."""
        self._content = content

    def read(self, lines: list[Passage]) -> None:
        """Adds the links, images and text of raw html; each of its lines has its position."""
        html = "".join(line for line, _ in lines)
        line_ends = list(accumulate(len(line) for line, _ in lines))
        end = 0
        for found in _HTML.finditer(html):
            if end < found.start():
                self._text(html[end : found.start()])
            begins, ends = (found["begins"] or "").lower(), (found["ends"] or "").lower()
            if not self.element and begins in ("a", "img"):
                self._add(begins, found["attributes"], lines[bisect_right(line_ends, found.start())][1])
            if not self.element and begins in _CODE:
                self.element = begins
            elif ends and ends == self.element:
                self.element = ""
            end = found.end()
        if end < len(html):
            self._text(html[end:])

    def end_block(self, place: int, ended: str) -> None:
        """Ends the current block of text, whose position is `place`; `ended` is the element that ends with it."""
        if len(self.opening) < OPENING and self.opening and self.opening[-1] != "\n":
            self.opening.append("\n")
        if self.block:
            passage = ("".join(self.block), place)
            self._content.prose.append(passage)
            if ended == "Paragraph":
                self._content.paragraphs.append(passage)
            self.block.clear()

    def _text(self, text: str) -> None:
        text = unescape(text)
        if self.element not in _HIDDEN and len(self.opening) < OPENING:
            self.opening.append(text)
        if not self.element:
            self.block.append(text)

    def _add(self, name: str, attributes: str, place: int) -> None:
        values = {one[1].lower(): unescape(one[2] or one[3] or one[4] or "") for one in _ATTRIBUTE.finditer(attributes)}
        if name == "img":
            self._content.images.append((values.get("src", ""), values.get("alt", ""), place))
        elif "href" in values:
            self._content.marked_links.append((values["href"], place))
