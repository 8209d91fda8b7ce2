"""What changed between two texts, as a unified diff, in bounded time."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from rapidfuzz.distance import LCSseq

MOST_COMPARISONS = 400_000_000
"""The most pairs of lines that are compared: about a second; beyond that the texts are too different."""
CONTEXT = 3


class TooDifferent(Exception):
    """Comparing the texts would take too long."""


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> str:
    """Returns the unified diff of two texts by lines, empty when they are the same.

    Raises `TooDifferent` when what lies between their common beginning and end is too long to be compared in time.
    """
    old_lines, new_lines = _lines(old), _lines(new)
    matcher: SequenceMatcher[str] = SequenceMatcher(None, (), ())
    matcher.opcodes = _opcodes(old_lines, new_lines)  # type: ignore[attr-defined]  # where it keeps what it found
    hunks = [line for group in matcher.get_grouped_opcodes(CONTEXT) for line in _hunk(group, old_lines, new_lines)]
    return "".join([f"--- {old_name}\n", f"+++ {new_name}\n", *hunks]) if hunks else ""


def _lines(text: str) -> list[str]:
    """Returns the lines of a text with their ends; only a line feed ends one, as in every diff."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    between_old, between_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(between_old) * len(between_new) > MOST_COMPARISONS:
        raise TooDifferent
    opcodes = [("equal", 0, head, 0, head)] if head else []
    for step in LCSseq.opcodes(between_old, between_new):
        i, j = step.src_start + head, step.dest_start + head
        opcodes.append((step.tag, i, step.src_end + head, j, step.dest_end + head))
    if tail:
        opcodes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return opcodes


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _hunk(group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    yield f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            yield from _marked(" ", old[i1:i2])
        else:
            yield from _marked("-", old[i1:i2])
            yield from _marked("+", new[j1:j2])


def _span(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
