"""A unified diff as rows of two columns, with the words that changed inside a line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import groupby, islice, zip_longest
from typing import TypeVar

from rapidfuzz.distance import LCSseq

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
FENCE = re.compile(r"\s*(?:```|~~~)")
PROSE = re.compile(
    r"(?P<mark>\s*(?:(?:[-*+>]|\d{1,9}[.)]|#{1,6})\s+)+| {0,3})(?P<words>(?![ |\t]|\[[^\]]+\]:)(?=\W*\w).*)"
)
"""A line of markdown in which words can be marked: no code, table or address of a link, and no rule."""
LONGEST_PROSE = 5_000
"""Words are marked in lines of so many characters."""
INLINE = re.compile(r"`+[^`]*`+|!?\[[^\]]*\]\([^)]*\)|(\*\*|__|\*|_|~~)(?=\S).+?\1|\s+|\w+|[^\w\s]")
"""The words of a line; a link, code and what is emphasised are one word, so that no mark breaks them."""
HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class Row:
    """A line before and after: its numbers, and its text in parts, as `changed_words` returns them."""

    kind: str
    """`same`, `changed`, `added`, `removed`, `gap` where equal lines are left out, or `more` where others are."""
    old: int | None = None
    new: int | None = None
    parts: Sequence[tuple[str, str]] = ()


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
        if mark == "@" and (found := HUNK.match(texts[0])):
            old, new = int(found[1]), int(found[2])
            yield Row("gap")
            continue
        before, after = ([line[1:] for line in texts if line[0] != other] for other in "+-")
        for place, (left, right) in enumerate(zip_longest(before, after)):
            if left is None or right is None:
                kind, parts = (REMOVED, [(SAME, left or "")]) if right is None else (ADDED, [(SAME, right)])
            elif mark == " ":
                kind, parts = SAME, [(SAME, left)]
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
    """Yields the stretches of two lists in turns: those that both have, and what each has instead of the other's."""
    for is_same, found in groupby(LCSseq.opcodes(old, new), key=lambda one: one.tag == "equal"):
        run = list(found)
        first, last = run[0], run[-1]
        yield is_same, old[first.src_start : last.src_end], new[first.dest_start : last.dest_end]


def marked_changes(old: str, new: str, at: str) -> str | None:
    """Returns the newer of two markdown texts with what was removed and added since an instant as `<del>` and `<ins>`.

    None where they can't stand in the text: in code, tables and html, and in texts of very many lines.
    """
    before, after = _prose_lines(old), _prose_lines(new)
    if max(len(before), len(after)) > MOST_LINES:
        return None
    marked: list[str] = []
    for is_same, removed, added in _runs(before, after):
        if is_same:
            marked += [line for line, _ in added]
        elif all(is_prose for _, is_prose in (*removed, *added)):
            pairs = zip_longest([line for line, _ in removed], [line for line, _ in added])
            marked += [part for left, right in pairs for part in _marked_line(left, right, at)]
        else:
            return None
    return "\n".join(marked)


def _prose_lines(text: str) -> list[tuple[str, bool]]:
    """Returns the lines of a markdown text, each with whether words of it can be marked."""
    lines, in_code = [], False
    for line in text.split("\n"):
        is_fence = FENCE.match(line) is not None
        in_code ^= is_fence
        is_prose = len(line) <= LONGEST_PROSE and "<" not in line and (not line.strip() or PROSE.fullmatch(line))
        lines.append((line, bool(is_prose) and not in_code and not is_fence))
    return lines


def _marked_line(old: str | None, new: str | None, at: str) -> list[str]:
    """Returns the lines in which a line stands as it was and as it is, marked word by word where they are alike."""
    (old_mark, left), (new_mark, right) = (_split(line) for line in (old, new))
    if left and right and old_mark == new_mark:
        parts = changed_words(left, right, INLINE)
        if 3 * sum(len(text) for how, text in parts if how == SAME) > min(len(left), len(right)):
            return [new_mark + "".join(_marked(how, text, at) for how, text in parts)]
    sides = ((old, old_mark, left, REMOVED), (new, new_mark, right, ADDED))
    return [mark + _marked(how, words, at) for line, mark, words, how in sides if line is not None]


def _split(line: str | None) -> tuple[str, str]:
    """Returns the marks with which a line begins, as of a list or a heading, and its words."""
    found = PROSE.fullmatch(line or "")
    return (found["mark"], found["words"]) if found else ("", "")


def _marked(how: str, text: str, at: str) -> str:
    if how == SAME or not text.strip():
        return text
    element = "del" if how == REMOVED else "ins"
    return f'<{element} datetime="{at}">{text}</{element}>'
