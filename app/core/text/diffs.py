"""Unified diff of two texts, in bounded time."""

import re
from collections.abc import Iterable, Iterator
from difflib import Match, SequenceMatcher
from io import StringIO
from itertools import islice, takewhile

from app.core.errors import BadRequest

MOST_COMPARISONS = 400_000_000
"""Maximum pairs of lines that are compared: about a second and 50 MB; beyond it the texts are too different."""
TOO_DIFFERENT = (
    "The versions are too long and too different to be compared in time: read both and compare them yourself."
)
CONTEXT = 3
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n|(?<=[^\r\n])\Z)")
"""A line with its end, which is a carriage return in some texts."""


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> str:
    """Returns the unified diff of two texts by lines, empty when they are the same.

    Refuses with `BadRequest` where what lies between their common beginning and end is too long to be compared in time.
    """
    if old == new:
        return ""
    old_lines, new_lines = _lines(old), _lines(new)
    matcher: SequenceMatcher[str] = SequenceMatcher(None, (), ())
    matcher.matching_blocks = matching_blocks(old_lines, new_lines)  # type: ignore[attr-defined]  # where it looks first
    hunks = [part for group in matcher.get_grouped_opcodes(CONTEXT) for part in _hunk(group, old_lines, new_lines)]
    return "".join([f"--- {old_name}\n", f"+++ {new_name}\n", *hunks]) if hunks else ""


def with_line_ends_of(old: str, new: str) -> str:
    """Returns a new text, whose lines end in line feeds, with the line ends of an old one.

    For forms, from which browsers send every line end as one and the same. Lines of the common beginning and end have
    those of the old text, and all others the first one of it.
    """
    if "\r" not in old:
        return new
    old_lines, new_lines = _LINE.findall(old), _LINE.findall(new)
    bare = [line.rstrip("\r\n") for line in old_lines], [line.rstrip("\r\n") for line in new_lines]
    head = _common(zip(*bare, strict=False))
    tail = _common(islice(zip(*map(reversed, bare), strict=False), min(map(len, bare)) - head))
    end = next(line[len(line.rstrip("\r\n")) :] for line in old_lines)
    between = [line.replace("\n", end) for line in new_lines[head : len(new_lines) - tail]]
    return "".join([*old_lines[:head], *between, *old_lines[len(old_lines) - tail :]])


def _lines(text: str) -> list[str]:
    """Returns the lines of a text with their ends; only a line feed ends one, as in every diff."""
    return [line for line in StringIO(text, newline="\n")]  # noqa: C416  # `list` would hold up other threads


def matching_blocks(old: list[str], new: list[str]) -> list[Match]:
    """Returns the longest stretches of lines that both texts have, in order; the last one is empty."""
    head = _common(zip(old, new, strict=False))
    shorter = min(len(old), len(new)) - head
    tail = _common(islice(zip(reversed(old), reversed(new), strict=False), shorter))
    if (len(old) - head - tail) * (len(new) - head - tail) > MOST_COMPARISONS:
        raise BadRequest(TOO_DIFFERENT)
    from rapidfuzz.distance import LCSseq  # takes 2 MB

    return [Match(block.a, block.b, block.size) for block in LCSseq.opcodes(old, new).as_matching_blocks()]


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    """Returns how many pairs, from the first, are of two equal lines."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _hunk(group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            yield _marked(" ", old[i1:i2])
        else:
            yield _marked("-", old[i1:i2])
            yield _marked("+", new[j1:j2])


def _span(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: list[str]) -> str:
    """Returns lines with a mark before each; only the last one may have no line feed."""
    if not lines:
        return ""
    marked = mark + mark.join(lines)
    return marked if marked.endswith("\n") else f"{marked}\n\\ No newline at end of file\n"
