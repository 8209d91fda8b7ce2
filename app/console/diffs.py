"""A unified diff as rows of two columns, with the words that changed inside a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from rapidfuzz.distance import LCSseq

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST_WORDS = 600
"""Lines with more words than this are shown as changed whole."""
MOST_CHARACTERS = 300_000
"""So are all lines of a longer comparison: its page would have millions of parts."""
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
    """`same`, `changed`, `added`, `removed`, or `gap` where lines are left out."""
    old: Side | None = None
    new: Side | None = None


@dataclass
class _Lines:
    """Consecutive lines that were removed and added."""

    by_words: bool
    old: list[tuple[int, str]] = field(default_factory=list)
    new: list[tuple[int, str]] = field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        for before, after in zip_longest(self.old, self.new):
            if before is None:
                yield Row("added", new=Side(after[0], [(after[1], False)]))
            elif after is None:
                yield Row("removed", old=Side(before[0], [(before[1], False)]))
            else:
                whole = [(before[1], True)], [(after[1], True)]
                old, new = words_that_differ(before[1], after[1]) if self.by_words else whole
                yield Row("changed", Side(before[0], old), Side(after[0], new))


def side_by_side(diff: str) -> list[Row]:
    """Returns the rows of a unified diff of two texts."""
    return list(_rows(diff.split("\n")[2:], by_words=len(diff) <= MOST_CHARACTERS))


def _rows(lines: Iterable[str], *, by_words: bool) -> Iterator[Row]:
    old = new = 0
    changed = _Lines(by_words)
    for line in lines:
        mark, text = line[:1], line[1:]
        if mark == "-":
            changed.old.append((old, text))
            old += 1
        elif mark == "+":
            changed.new.append((new, text))
            new += 1
        elif mark in (" ", "@"):
            yield from changed.rows()
            changed = _Lines(by_words)
            if mark == " ":
                yield Row("same", Side(old, [(text, False)]), Side(new, [(text, False)]))
                old, new = old + 1, new + 1
            elif found := HUNK.match(line):
                old, new = int(found[1]), int(found[2])
                yield Row("gap")
    yield from changed.rows()


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
