"""Where a quoted passage is in a text: at one place, or at none (decisions, section 17).

A passage is found only by its exact words, never by similarity, so that no remark moves to other words.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc

_LINE_END = re.compile(r"\r\n|\r|\n")
BLOCK = 16
"""The characters of a block. A text is read once, block by block, however many passages are looked for: 200 of them in
2 MB take 25 ms; searching for each took 180."""
MOST_CANDIDATES = 50
"""Words whose blocks are at more places than these are searched for one by one."""


CONTEXT = 32
"""Maximum number of characters that are stored before and after the passage of a thread."""


class Quote(TypedDict):
    """A passage, with what stood directly before and after it; an empty side is that end of the text."""

    exact: Annotated[str, doc("the passage", "Flour")]
    prefix: Annotated[str, doc("what stood directly before it, 32 characters")]
    suffix: Annotated[str, doc("what stood directly after it, 32 characters", ", water and patience.")]


def quote_at(text: str, start: int, exact: str) -> Quote:
    """Returns the passage that begins at a place of a text, with its context."""
    end = start + len(exact)
    return Quote(exact=exact, prefix=text[max(0, start - CONTEXT) : start], suffix=text[end : end + CONTEXT])


def locate(text: str, quotes: Sequence[Quote]) -> list[int | None]:
    """Returns where each passage begins in a text; None for one that is missing or ambiguous.

    It stands where its words do together with the whole prefix and the whole suffix, at one place alone; where there is
    no such place, together with either of them.
    """
    edge = next(one for one in map(chr, count()) if one not in text)
    marked = edge + text + edge  # an empty side of a passage is an end of the text
    sides = [(quote["prefix"] or edge, quote["exact"], quote["suffix"] or edge) for quote in quotes]
    wanted = {words for side in sides for words in ("".join(side), "".join(side[:2]), "".join(side[1:]))}
    found = _first_places(marked, wanted)
    return [_place(*side, found) for side in sides]


def lines_of(text: str, places: Iterable[int]) -> dict[int, int]:
    """Returns the number of the line, from 1, that contains each place of a text."""
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return {place: bisect_right(ends, place) + 1 for place in places}


def first_places(text: str, words: str, most: int = 2) -> list[int]:
    """Returns the first places where words stand in a text, `most` at most, those that overlap too."""
    places: list[int] = []
    place = text.find(words)
    while place >= 0 and len(places) < most:
        places.append(place)
        place = text.find(words, place + 1)
    return places


def _place(before: str, exact: str, after: str, found: Mapping[str, Sequence[int]]) -> int | None:
    places = {place + len(before) for place in found[before + exact + after]}
    if not places:
        places = {place + len(before) for place in found[before + exact]} | {*found[exact + after]}
    return places.pop() - 1 if len(places) == 1 else None  # without the mark at the beginning


def _first_places(text: str, wanted: Iterable[str]) -> dict[str, list[int]]:
    """Returns two places of each of the words in a text, or the only one, or none.

    Words of at least two blocks but one character hold a whole block of the text, wherever they stand: so the blocks of
    the text that are in none of the words rule out all places but a few.
    """
    long = {words for words in wanted if len(words) >= 2 * BLOCK - 1}
    parts = {words[offset : offset + BLOCK] for words in long for offset in range(BLOCK)}
    blocks: dict[str, list[int]] = defaultdict(list)
    for start in range(0, len(text) - BLOCK + 1, BLOCK) if parts else ():
        if (block := text[start : start + BLOCK]) in parts:
            blocks[block].append(start)
    return {words: _by_blocks(text, words, blocks) if words in long else first_places(text, words) for words in wanted}


def _by_blocks(text: str, words: str, blocks: Mapping[str, Sequence[int]]) -> list[int]:
    """Returns what `first_places` returns, given where the blocks that the words contain are in the text."""
    starts = [(offset, blocks.get(words[offset : offset + BLOCK], ())) for offset in range(BLOCK)]
    if sum(len(places) for _, places in starts) > MOST_CANDIDATES:
        return first_places(text, words)
    candidates = [start - offset for offset, places in starts for start in places if start >= offset]
    return [place for place in candidates if text.startswith(words, place)][:2]
