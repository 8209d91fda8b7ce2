"""Which words a text is found by, and the sentence that has them (decisions, section 23)."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from app.core.text.html import read_text
from app.core.text.words import folded, pieces_of, search_words

MOST_WORDS = 20_000
"""Maximum number of different words that a text is found by; a novel has fewer."""
MOST_LINE = 20_000
"""Maximum number of characters of a line in which words are shown."""
AROUND = 80
"""Characters shown before and after the first word."""
ALONE = re.compile(r"\[\^[^\[\]\s]+\]:?|^\s*\||(?<!\\)\|\s*$")
"""Marks that are read as such only with other lines: of footnotes, and around the rows of tables."""
SENTENCE_ENDS = ".!?…。！？।"


class Part(NamedTuple):
    """A part of a sentence; `is_found` where it is a word that was looked for."""

    text: str
    is_found: bool


def words_of(markdown: str) -> list[str]:
    """Returns the words that a text is found by, as `search_words` has them, each once: the first 20,000."""
    return [*islice(dict.fromkeys(pieces_of(read_text(markdown))), MOST_WORDS)]


def sentence_with(markdown: str, query: str) -> list[Part]:
    """Returns the first sentence of a text with a word of a query, in parts; an empty list where none has one."""
    wanted = search_words(query)
    for line in markdown.splitlines():
        if any(word in folded(line) for word in wanted):
            shown = " ".join(read_text(ALONE.sub("", line[:MOST_LINE])).split())
            if places := _places(shown, wanted):
                return [*_parts(shown, places)]
    return []


def _places(text: str, wanted: Sequence[str]) -> list[tuple[int, int]]:
    """Returns where words stand in a text, in its order, each as its beginning and end."""
    letters = [folded(one) for one in text]
    starts, plain = [], ""
    for place, letter in enumerate(letters):
        starts += [place] * len(letter)
        plain += letter
    found = []
    for word in wanted:
        at = plain.find(word)
        while at >= 0:
            end = at + len(word)
            if _stands_alone(plain, at, end):
                found.append((starts[at], starts[end] if end < len(starts) else len(text)))
            at = plain.find(word, end)
    return sorted(set(found))


def _stands_alone(plain: str, start: int, end: int) -> bool:
    """Returns whether letters are a word of their own there, or a part of one in a script without spaces."""
    return plain[start:end] in search_words(plain[max(0, start - 1) : end + 1])


def _parts(text: str, places: Sequence[tuple[int, int]]) -> Iterable[Part]:
    first, end = places[0]
    start = max((text.rfind(mark, 0, first) + 1 for mark in SENTENCE_ENDS), default=0)
    stop = min((found + 1 for mark in SENTENCE_ENDS if (found := text.find(mark, end)) >= 0), default=len(text))
    begin, finish = max(start, first - AROUND), min(stop, end + AROUND)
    yield Part("…" if begin > start else "", is_found=False)
    at = begin
    for one, after in places:
        if at <= one and after <= finish:
            yield Part(text[at:one].lstrip() if at == begin else text[at:one], is_found=False)
            yield Part(text[one:after], is_found=True)
            at = after
    yield Part(text[at:finish].rstrip() + ("…" if finish < stop else ""), is_found=False)
