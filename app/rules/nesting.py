"""Html of any author made well nested and no deeper than a limit, in time that grows with its length alone.

nh3 takes time that grows with the square of four things: the depth of the tree (2 MB of `> ` take minutes), the
attributes of a tag, what stands in a table outside its cells, and the `&` of one text or value (2 MB of them take a
minute). So what goes to it goes through here first. Each tag is written in its plain form and closed where its parent
ends, what stands loose in a table gets a cell, and a text with many `&` gets comments in between, which nh3 takes
out. This is no sanitiser: attributes keep their values.
"""

import re

from app.rules.html import ENDED_BY, IN_TABLE_PARTS, TABLE_PARTS, VOID
from app.rules.tags import DECLARATION, TAG, Tag, plain_tag, without_hidden

_MARKUP = re.compile(rf"(?:{TAG}|{DECLARATION}|<|(?:&[^<&]*+){{1,500}}+)(?=\s*+(?P<text_follows>[^<\s])?)")
_TABLE = frozenset({"table"})
_CELL_OR_TABLE = frozenset({"caption", "table", "td", "th"})


def well_nested(html: str, depth: int) -> str:
    """Returns html with tags of `ELEMENTS` alone, well nested, at most `depth` of them inside each other.

    Tags beyond the depth and those of other elements are left out; their text stays, but for scripts and styles.
    """
    writer = _Writer(depth)
    return _MARKUP.sub(writer.write, without_hidden(html)) + writer.close(len(writer.open))


class _PlainTags(dict[str, Tag | None]):
    """The plain form of each tag of a document, by how its author wrote it."""

    def __missing__(self, written: str) -> Tag | None:
        self[written] = tag = plain_tag(written)
        return tag


class _Writer:
    """Writes tag after tag; `open` has the elements that are open, `left_out` how many of a name lie too deep."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.plain_tags = _PlainTags()
        self.open: list[str] = []
        self.left_out: dict[str, int] = {}

    def write(self, markup: re.Match[str]) -> str:
        """Returns what stands in the place of a tag, of a stray `<`, or of a text from its first `&` on."""
        plain = self._plain(markup[0])
        return plain + self._cell() if markup.lastgroup == "text_follows" else plain

    def close(self, count: int) -> str:
        """Ends the innermost `count` elements."""
        closed = self.open[len(self.open) - count :]
        del self.open[len(self.open) - count :]
        return "".join(f"</{name}>" for name in reversed(closed))

    def _plain(self, written: str) -> str:
        if written[0] == "&":
            return f"{written}<!---->"
        if written == "<":
            return f"{self._cell()}&lt;"
        tag = self.plain_tags[written]
        if tag is None:
            return ""
        return self._end(tag) if tag.is_end else self._start(tag)

    def _cell(self) -> str:
        """Begins a cell where only parts of a table may stand, for what a browser would move out of the table."""
        if self.open and self.open[-1] in TABLE_PARTS:
            self.open.append("td")
            return "<td>"
        return ""

    def _start(self, tag: Tag) -> str:
        name, _, text = tag
        before = ""
        if self.open and self.open[-1] in ENDED_BY[name]:
            before = self._close_ended_by(name)
        elif name not in IN_TABLE_PARTS:
            before = self._cell()
        if name in VOID:
            return before + text
        if len(self.open) < self.depth:
            self.open.append(name)
            return before + text
        self.left_out[name] = self.left_out.get(name, 0) + 1
        return before

    def _end(self, tag: Tag) -> str:
        name, _, text = tag
        if self.left_out.get(name):
            self.left_out[name] -= 1
            return ""
        if self.open and self.open[-1] == name:
            self.open.pop()
            return text
        walls = _TABLE if name in IN_TABLE_PARTS else _CELL_OR_TABLE
        for count, other in enumerate(reversed(self.open), 1):
            if other == name:
                return self.close(count)
            if other in walls:
                break
        return ""

    def _close_ended_by(self, name: str) -> str:
        count = 0
        while count < len(self.open) and self.open[-1 - count] in ENDED_BY[name]:
            count += 1
        return self.close(count)
