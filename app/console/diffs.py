"""A unified diff as rows of two columns, with the words that changed inside a line."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby, islice, zip_longest
from typing import TypeVar

from app.console.frame import console

Part = TypeVar("Part")
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_WORDS = 600
"""Lines with more words than this are shown as changed whole."""
MOST_CHARACTERS = 300_000
"""So are all lines of a longer comparison: its page would have millions of parts."""
MOST_LINES = 5_000
"""How many lines of a diff are shown; a page of a million would take a gigabyte."""
SAME, CHANGED, REMOVED, ADDED = "same", "changed", "removed", "added"
BLOCKS = re.compile(r"(?<=\n)(?=<(?!t[dh]\b|/tr>))")
"""Where a text in html is divided into blocks: as a rule a paragraph, an item of a list, a row of a table."""
CELL = re.compile(r"(<t[dh]\b[^>]*>)(.*?)(?=</t[dh]>)", re.DOTALL)
TABLE = re.compile(r"(<table>.*?</table>\s*)", re.DOTALL)
WHOLE = re.compile(r"<(p|h[1-6]|li|table|tr)\b.*</\1>\s*", re.DOTALL)
"""A block whose tags are all closed in it."""
TAG = re.compile(r"(<[^>]*>)")
HTML_WORDS = re.compile(r"<a [^>]*>[^<]*</a>|<[^>]*>|&\w+;|\s+|\w+|[^\w\s]")
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class Row:
    """A line before and after: its numbers, and its text in parts, as `changed_words` returns them."""

    kind: str
    """`same`, `changed`, `added`, `removed`, `gap` for equal lines that are left out, or `more` for further lines."""
    old: int | None = None
    new: int | None = None
    parts: Sequence[tuple[str, str]] = ()


def side_by_side(diff: str, shown: Callable[[str], str] = str) -> list[Row]:
    """Returns the rows of a unified diff of two texts, of its first 5,000 lines, each as `shown` returns it."""
    lines = [line.removesuffix("\n") for line in islice(StringIO(diff, newline="\n"), 2, MOST_LINES + 3)]
    more = [Row("more")] if len(lines) > MOST_LINES else []
    is_short = len(diff) <= MOST_CHARACTERS
    return [*_rows(lines[:MOST_LINES], shown if is_short else str, by_words=is_short), *more]


def _rows(lines: Iterable[str], shown: Callable[[str], str], *, by_words: bool) -> Iterator[Row]:
    old = new = 0
    lines = (line for line in lines if not line.startswith("\\"))  # which says that a file has no newline at its end
    for mark, run in groupby(lines, key=lambda line: line[:1].replace("+", "-")):
        texts = list(run)
        if mark == "@" and (found := HUNK.match(texts[0])):
            old, new = int(found[1]), int(found[2])
            yield Row("gap")
            continue
        before, after = ([line[1:] for line in texts if line[0] != other] for other in "+-")
        for place, (left, right) in enumerate(zip_longest(before, after)):
            if shown(left or "") != shown(right or ""):  # else only marks differ
                left, right = left and shown(left), right and shown(right)
            if left is None or right is None:
                kind, parts = (REMOVED, [(SAME, left or "")]) if right is None else (ADDED, [(SAME, right)])
            elif mark == " ":
                kind, parts = SAME, [(SAME, shown(left))]
            else:
                kind, parts = CHANGED, changed_words(left, right) if by_words else [(REMOVED, left), (ADDED, right)]
            yield Row(kind, None if left is None else old + place, None if right is None else new + place, parts)
        old, new = old + len(before), new + len(after)


@console.app_template_global("changed_words")
def changed_words(old: str, new: str, words: re.Pattern[str] = WORDS) -> list[tuple[str, str]]:
    """Returns two texts as one, in parts: each with whether it is the same in both, was removed, or added."""
    before, after = ([one[0] for one in words.finditer(text)] for text in (old, new))
    if max(len(before), len(after)) > MOST_WORDS:
        return [(REMOVED, old), (ADDED, new)]
    parts: list[tuple[str, str]] = []
    removed, added = "", ""
    for is_same, old_words, new_words in [*_runs(before, after), (True, [], [])]:
        text = "".join(new_words)
        if is_same and (text.strip() or not text or not removed + added):
            parts += [(REMOVED, removed), (ADDED, added), (SAME, text)]
            removed, added = "", ""
        else:  # a space between words that changed reads better with them
            removed, added = removed + "".join(old_words), added + text
    return [(how, text) for how, text in parts if text]


def _runs(old: list[Part], new: list[Part]) -> Iterator[tuple[bool, list[Part], list[Part]]]:
    """Yields the runs of two lists in turns: what both have, and what each has in its place in the other."""
    from rapidfuzz.distance import LCSseq  # takes 2 MB

    for is_same, found in groupby(LCSseq.opcodes(old, new), key=lambda one: one.tag == "equal"):
        run = list(found)
        first, last = run[0], run[-1]
        yield is_same, old[first.src_start : last.src_end], new[first.dest_start : last.dest_end]


def marked_changes(old: str, new: str, at: str) -> str | None:
    """Returns the newer of two texts in html with what was removed and added since an instant as `<del>` and `<ins>`.

    None for texts of very many blocks.
    """
    before, after = BLOCKS.split(old), BLOCKS.split(new)
    if max(len(before), len(after)) > MOST_LINES:
        return None
    marked: list[str] = []
    for is_same, removed, added in _runs(before, after):
        parts = TABLE.split("".join(removed))  # a table that was removed is one block: it keeps its tags
        blocks = [one for part in parts for one in ([part] if part[:6] == "<table" else BLOCKS.split(part)) if one]
        pairs = zip_longest(blocks, added, fillvalue="")
        marked += added if is_same else [_marked_block(left, right, at) for left, right in pairs]
    return "".join(marked)


def _marked_block(old: str, new: str, at: str) -> str:
    """Returns a block as it was and as it is: word by word where these are alike, else one after the other.

    Rows with the same number of cells are compared cell by cell, so that what was removed from a cell stays in it.
    """
    cells = [cell[2] for cell in CELL.finditer(old)]
    if cells and len(cells) == len(CELL.findall(new)):
        before = iter(cells)
        return CELL.sub(lambda cell: cell[1] + _marked_block(next(before), cell[2], at), new)
    parts = changed_words(old, new, HTML_WORDS)
    same, left, right = (len(TAG.sub("", text)) for text in ("".join(t for how, t in parts if how == SAME), old, new))
    if cells or 3 * same <= min(left, right):
        parts = [(REMOVED, old), (ADDED, new)]
    return "".join(_marked(how, text, at) for how, text in parts)


def _marked(how: str, text: str, at: str) -> str:
    """Returns a part of a text with its words marked; the tags of what was removed are left out, unless it is whole."""
    if how == SAME:
        return text
    element, keeps_tags = ("ins", True) if how == ADDED else ("del", WHOLE.fullmatch(text))
    marked = ""
    for number, piece in enumerate(TAG.split(text)):
        if number % 2:
            marked += piece if keeps_tags else ""
        else:
            marked += f'<{element} datetime="{at}">{piece}</{element}>' if piece.strip() else piece
    return marked
