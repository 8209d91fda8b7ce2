"""A unified diff as rows of two columns, with the words that changed inside a line."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import groupby, islice, zip_longest

from rapidfuzz.distance import LCSseq

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_WORDS = 600
"""Lines with more words than this are shown as changed whole."""
MOST_CHARACTERS = 300_000
"""So are all lines of a longer comparison: its page would have millions of parts."""
MOST_LINES = 5_000
"""How many lines of a diff are shown; a page of a million would take a gigabyte."""
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class Side:
    """One line of one version: its number, and its text in parts, each with whether it changed."""

    line: int
    parts: list[tuple[str, bool]]


@dataclass(frozen=True)
class Row:
    """A line before and after: one of them is missing where it was added or removed."""

    kind: str
    """`same`, `changed`, `added`, `removed`, `gap` where equal lines are left out, or `more` where others are."""
    old: Side | None = None
    new: Side | None = None


def side_by_side(diff: str) -> list[Row]:
    """Returns the rows of a unified diff of two texts, of its first 5,000 lines."""
    lines = [line.removesuffix("\n") for line in islice(StringIO(diff, newline="\n"), 2, MOST_LINES + 3)]
    more = [Row("more")] if len(lines) > MOST_LINES else []
    return [*_rows(lines[:MOST_LINES], by_words=len(diff) <= MOST_CHARACTERS), *more]


def _rows(lines: Iterable[str], *, by_words: bool) -> Iterator[Row]:
    old = new = 0
    lines = (line for line in lines if not line.startswith("\\"))  # which says that a file has no newline at its end
    for mark, run in groupby(lines, key=lambda line: line[:1].replace("+", "-")):
        texts = list(run)
        if mark == "-":
            before, after = ([line[1:] for line in texts if line[0] == sign] for sign in "-+")
            for place, (left, right) in enumerate(zip_longest(before, after)):
                yield _changed(old + place, left, new + place, right, by_words=by_words)
            old, new = old + len(before), new + len(after)
        elif mark == " ":
            for place, line in enumerate(texts):
                parts = [(line[1:], False)]
                yield Row("same", Side(old + place, parts), Side(new + place, parts))
            old, new = old + len(texts), new + len(texts)
        elif found := HUNK.match(texts[0]):
            old, new = int(found[1]), int(found[2])
            yield Row("gap")


def _changed(old: int, before: str | None, new: int, after: str | None, *, by_words: bool) -> Row:
    """Returns the row of a line that was removed, added, or both."""
    if before is None:
        return Row("added", new=Side(new, [(after or "", False)]))
    if after is None:
        return Row("removed", old=Side(old, [(before, False)]))
    left, right = words_that_differ(before, after) if by_words else ([(before, True)], [(after, True)])
    return Row("changed", Side(old, left), Side(new, right))


def words_that_differ(old: str, new: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Returns two lines in parts, each with whether the other line lacks it."""
    before, after = WORDS.findall(old), WORDS.findall(new)
    if max(len(before), len(after)) > MOST_WORDS:
        return [(old, True)], [(new, True)]
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for one in LCSseq.opcodes(before, after):
        if one.src_end > one.src_start:
            left.append(("".join(before[one.src_start : one.src_end]), one.tag != "equal"))
        if one.dest_end > one.dest_start:
            right.append(("".join(after[one.dest_start : one.dest_end]), one.tag != "equal"))
    return left, right
