"""Markdown as its parser reads it: CommonMark with GitHub's tables, strikethrough and task lists, by pyromark.

pyromark binds pulldown-cmark, which is written in Rust: threads parse at once, and no input takes it long.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyromark

from app.rules.autolinks import protected, restored
from app.rules.html import ELEMENTS, HIDDEN, INLINE_MARKDOWN

Event = tuple[str, Any]
"""A kind, and what the parser knows: `("Text", "a")`, `("Start", "Paragraph")`, `("End", {"Heading": "H1"})`.

Raw html comes in pieces, wherever it is: `Tag` for a start or end tag, `Raw` for the text of a block of html,
which may hold character references. Comments, instructions, elements that are not allowed (but not their content),
scripts and styles (with their content) are left out.
"""

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
_TAG_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*)")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_NOT_HTML = bytes.maketrans(b"`*_\\(\r\n", b"xxxxx  ")


def parsed(markdown: str) -> Iterator[Event]:
    """Returns what markdown is made of, in order; in bare addresses `*`, `_` and `~` are no emphasis."""
    source = protected(markdown)
    events = _parsed(source)
    return events if source == markdown else ((kind, restored(value)) for kind, value in events)


def _parsed(markdown: str) -> Iterator[Event]:
    block: list[str] = []
    raw = _RawHtml()
    for event in pyromark.events(_with_line_feeds(markdown), options=_OPTIONS):
        if isinstance(event, str):
            yield event, None
            continue
        kind: str
        value: Any
        [(kind, value)] = event.items()
        if kind == "Html":
            block.append(value)
        elif kind == "InlineHtml":
            if raw.is_shown(value):
                yield "Tag", value
        elif kind == "End":
            if value == "HtmlBlock":
                yield from raw.pieces("".join(block))
                block.clear()
            if raw.hidden and element_of(value)[0] not in INLINE_MARKDOWN:
                raw.hidden = ""
            yield kind, value
        elif not raw.hidden or kind == "Start":
            yield kind, value


def rendered(markdown: str) -> str:
    """Returns the html that the parser makes of markdown as `parsed` reads it, raw html as it is; not its addresses."""
    source = protected(markdown)
    html = pyromark.html(_with_line_feeds(source), options=_OPTIONS)
    return html if source == markdown else str(restored(html))


def events_with_places(markdown: str) -> Iterable[tuple[Any, Any]]:
    """Returns the parser's own events, raw html whole, each with its `start` and `end` in bytes of the UTF-8 text.

    An event without details is a string, as `"SoftBreak"`; any other is a dict with one key: `{"Text": "a"}`.
    """
    return pyromark.events_with_range(_with_line_feeds(markdown), options=_OPTIONS, merge_text=True)


def _with_line_feeds(markdown: str) -> str:
    """Returns markdown in which a line feed replaces each carriage return that ends a line by itself.

    To the parser such a carriage return ends no line of code or html, so that a block of them would have no end. No
    place in the text moves.
    """
    return _LONE_RETURN.sub("\n", markdown) if "\r" in markdown else markdown


def tag_name(tag: str) -> str:
    """Returns the name of a tag in lower case; an empty one for a comment or an instruction."""
    name = _TAG_NAME.match(tag)
    return name[1].lower() if name else ""


def element_of(value: Any) -> tuple[str, Any]:
    """Returns the name and the details of what begins or ends."""
    return next(iter(value.items())) if isinstance(value, dict) else (value, None)


class _RawHtml:
    """Reads the author's html; `hidden` is the element that is open and whose content is not shown."""

    def __init__(self) -> None:
        self.hidden = ""

    def is_shown(self, tag: str) -> bool:
        """Returns whether a tag stays; scripts and styles begin and end what is hidden."""
        name = tag_name(tag)
        if name in HIDDEN:
            self.hidden = "" if tag.startswith("</") else name
            return False
        return name in ELEMENTS and not self.hidden

    def pieces(self, html: str) -> Iterator[Event]:
        """Returns a block of html in pieces.

        The parser finds the tags as it does inside of a paragraph: it reads the block again as one heading, in which
        line breaks, and the characters that would mean anything but html, are replaced byte by byte.
        """
        source = html.encode()
        end = 0
        for event, place in pyromark.events_with_range("# " + source.translate(_NOT_HTML).decode()):
            if isinstance(event, dict) and "InlineHtml" in event:
                start = place["start"] - 2
                if start > end and not self.hidden:
                    yield "Raw", source[end:start].decode()
                end = place["end"] - 2
                tag = source[start:end].decode()
                if self.is_shown(tag):
                    yield "Tag", tag
        if end < len(source) and not self.hidden:
            yield "Raw", source[end:].decode()
