"""Merges two texts that were made of one, where they changed different paragraphs."""

import re
from collections.abc import Iterator, Sequence

from app.core.errors import BadRequest
from app.core.text.diffs import matching_blocks

_PARAGRAPH = re.compile(r"(?:(?!\n[ \t]*\n).)*+(?:\n[ \t]*(?=\n))*\n?", re.DOTALL)

Change = tuple[int, int, list[str]]
"""The paragraphs of the text of before that were replaced, from one to before another, and what they became."""


def merged(base: str, mine: str, theirs: str) -> str | None:
    """Returns a text with both changes of `base`; None where they changed or added paragraphs at one place."""
    before, first, second = (_paragraphs(text) for text in (base, mine, theirs))
    try:
        changes = sorted([*_changes(before, first), *_changes(before, second)], key=lambda change: change[:2])
    except BadRequest:  # too different to be compared in time
        return None
    made, at = list[str](), 0
    last: Change | None = None
    for change in changes:
        start, end, paragraphs = change
        if change == last:
            continue
        if last and (start < last[1] or (start <= last[1] and (start == end or last[0] == last[1]))):
            return None
        made += [*before[at:start], *paragraphs]
        at, last = end, change
    return "".join([*made, *before[at:]])


def _paragraphs(text: str) -> list[str]:
    """Returns the paragraphs of a text, each with the blank lines after it."""
    return [found[0] for found in _PARAGRAPH.finditer(text) if found[0]]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    at_old = at_new = 0
    for block in matching_blocks([*old], [*new]):
        if (at_old, at_new) != (block.a, block.b):
            yield at_old, block.a, [*new[at_new : block.b]]
        at_old, at_new = block.a + block.size, block.b + block.size
