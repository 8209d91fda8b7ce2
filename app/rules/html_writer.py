"""Writes well-nested html of bounded depth from markdown and from the html that its author put into it.

nh3, which sanitises the result, takes time that grows with the square of four things: the depth of the tree, the
attributes of one tag, what is in a table outside its cells, and the characters of one text at which it divides it
(2 MB of any of them take minutes). This writer bounds all four, so that what nh3 does grows with the length alone. It
sanitises nothing.
"""

import re
from typing import Final

from app.rules.html import ENDED_BY, IN_TABLE_PARTS, INLINE, TABLE_PARTS, VOID
from app.rules.markdown import tag_name

MAX_DEPTH: Final = 100
"""Elements inside each other. What an author nests deeper is shown at this depth: its text stays, its tags go."""

MAX_PARTS: Final = 400_000
"""Tags and texts that are written; 2 MB of prose are a tenth of it."""

MAX_TAG: Final = 10_000
"""Bytes of a tag of the author's; a longer one is left out."""

MAX_PIECES: Final = 500
"""Characters of a text at which nh3 divides it; after so many a comment ends the text, which nh3 leaves out."""

_DIVIDING = "[&\x80-\xbf]"
"""Where nh3 divides a text: at `&`, and at each character whose UTF-8 begins with the byte C2."""
_DIVISIONS = re.compile(_DIVIDING)
_PIECES = re.compile(f"(?:[^&\x80-\xbf]*+{_DIVIDING}){{{MAX_PIECES}}}[^&\x80-\xbf]*+")


class TooMuchMarkup(Exception):
    """The html has more parts than are written."""


class HtmlWriter:
    """Collects html. Elements of markdown are opened and closed in pairs; the author's tags need not be balanced.

    A tag of the author's never closes an element that markdown made, and ends with it at the latest. Raises
    `TooMuchMarkup` past `MAX_PARTS`.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[str] = []
        self._markdown_made: list[int] = []
        """For each element of markdown's that is open: how many elements contain it."""
        self._pieces = 0
        self._left_out: dict[str, int] = {}

    def html(self) -> str:
        """Returns what was written, with every element closed."""
        self._close(0)
        return "".join(self._parts)

    def start(self, name: str, attributes: str = "", after: str = "") -> None:
        """Opens an element of markdown's; `after` is the space that follows its tag."""
        self._make_room(name)
        self._markdown_made.append(len(self._open))
        if len(self._open) < MAX_DEPTH:
            self._open.append(name)
            self._write(f"<{name}{attributes}>{after}")
        else:
            self._write("")

    def end(self) -> None:
        """Closes the innermost open element of markdown's, and all of the author's inside it."""
        self._close(self._markdown_made.pop(), after="\n")

    def new_line(self) -> None:
        """Begins a new line unless one has just begun."""
        if self._parts and not self._parts[-1].endswith("\n"):
            self._write("\n")

    def text(self, html: str) -> None:
        """Writes text, escaped already."""
        if not html.isspace():
            self._begin_cell()
        self._write(self._divided(html))

    def void(self, html: str) -> None:
        """Writes an element that holds nothing."""
        self._begin_cell()
        self._write(html)

    def raw(self, tag: str) -> None:
        """Writes a tag of the author's, if it is allowed here."""
        name = tag_name(tag)
        if len(tag) > MAX_TAG:
            return
        if tag.startswith("</"):
            self._end_raw(name)
            return
        self._make_room(name)
        if name in VOID:
            self._write(tag)
        elif len(self._open) < MAX_DEPTH:
            self._open.append(name)
            self._write(tag)
        else:
            self._left_out[name] = self._left_out.get(name, 0) + 1
            self._write("")

    def _divided(self, text: str) -> str:
        """Returns text with a comment after every 500 pieces, counted over all texts: several become one for nh3."""
        if text.isascii() and "&" not in text:
            return text
        self._pieces += sum(1 for _ in _DIVISIONS.finditer(text))
        if self._pieces <= MAX_PIECES:
            return text
        self._pieces = 0
        return "<!---->" + _PIECES.sub(r"\g<0><!---->", text)

    def _end_raw(self, name: str) -> None:
        if self._left_out.get(name):
            self._left_out[name] -= 1
            return
        mine = self._markdown_made[-1] + 1 if self._markdown_made else 0
        for depth in range(len(self._open) - 1, mine - 1, -1):
            if self._open[depth] == name:
                self._close(depth)
                return

    def _make_room(self, name: str) -> None:
        """Ends the elements that the start of this one ends, as authors may leave out their end tags."""
        ended = ENDED_BY[name]
        mine = self._markdown_made[-1] + 1 if self._markdown_made else 0
        depth = len(self._open)
        while depth > mine and self._open[depth - 1] in ended:
            depth -= 1
        self._close(depth)
        if name not in IN_TABLE_PARTS:
            self._begin_cell()

    def _begin_cell(self) -> None:
        """Begins a cell where only parts of a table are allowed, for what a browser would move out of the table."""
        if self._open and self._open[-1] in TABLE_PARTS:
            self._open.append("td")
            self._write("<td>")

    def _close(self, depth: int, after: str = "") -> None:
        while len(self._open) > depth:
            name = self._open.pop()
            self._parts.append(f"</{name}>" if name in INLINE else f"</{name}>{after}")

    def _write(self, html: str) -> None:
        if len(self._parts) > MAX_PARTS:
            raise TooMuchMarkup
        self._parts.append(html)
