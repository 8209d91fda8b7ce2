"""Quotations of a text, and whether they stand in an excerpt word by word (decisions, section 22)."""

from collections.abc import Iterator, Sequence

import regex

from app.sources.citations import Block

SHORTEST = 5
"""Words of the shortest quotation that is compared."""
MOST_PLACES = 100
"""Maximum number of places inside of longer words that are passed over."""

_PAIRS = {"“": "”", "„": "“”", "«": "»"}
_STRAIGHT = regex.compile(r'(?<![\w"])"(?=[^\s"])[^"]*+"(?!\w)')
_MARK = regex.compile(r"[“”„«»]")
_WORD = regex.compile(r"\w+(?:[-'’]\w+)*")
_LEFT_OUT = regex.compile(r"\[\s*(?:…|\.\s?\.\s?\.)\s*\]|\(\s*(?:…|\.\s?\.\s?\.)\s*\)|…|\.\s?\.\s?\.")
_INSERTED_LETTER = regex.compile(r"\[(\p{L})\](?=\p{L})")
_QUOTES = "\"'`´‘’‚‛“”„‟«»‹›′″"
_PLAIN = {
    **dict.fromkeys(map(ord, _QUOTES), None),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff*_"), None),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    ord("ﬁ"): "fi",
    ord("ﬂ"): "fl",
    ord("…"): "...",
}
"""Marks that differ between typesetters: those of quotations are left out, dashes and ellipses are one each."""
_SPACE = regex.compile(r"\s+")
_BESIDE_MARK = regex.compile(r" (?=[^\w ])|(?<=[^\w ]) ")
_AT_END = " .,;:!?-"


def quotations_of(block: Block) -> Iterator[tuple[str, int]]:
    """Yields the quotations of a block that have at least five words, each with its place; the outermost of nested."""
    if block.block.is_quote:
        found: Iterator[tuple[str, int]] = iter([(block.text, 0)])
    else:
        found = _marked(block.text)
    return ((text, place) for text, place in found if _has_words(text))


def _has_words(text: str) -> bool:
    words = _WORD.finditer(text)
    return sum(1 for _, _ in zip(range(SHORTEST), words, strict=False)) == SHORTEST


def _marked(text: str) -> Iterator[tuple[str, int]]:
    """Yields what stands between marks: typographic ones with those inside of them, and straight ones outside."""
    end = 0
    for start, stop in _typographic(text):
        yield from _straight(text, end, start)
        yield text[start + 1 : stop], start + 1
        end = stop + 1
    yield from _straight(text, end, len(text))


def _straight(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    for found in _STRAIGHT.finditer(text, start, end):
        yield found[0][1:-1], found.start() + 1


def _typographic(text: str) -> list[tuple[int, int]]:
    """Returns the places of the outermost pairs of typographic marks."""
    opened: list[tuple[int, str]] = []
    pairs: list[tuple[int, int]] = []
    for found in _MARK.finditer(text):
        mark, place = found[0], found.start()
        if opened and mark in _PAIRS[opened[-1][1]]:
            start, _ = opened.pop()
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            pairs.append((start, place))
        elif mark in _PAIRS:
            opened.append((place, mark))
    return pairs


def normalized(text: str) -> str:
    """Returns a text as quotations are compared: without differences of spaces and of typographic marks."""
    return _BESIDE_MARK.sub("", _SPACE.sub(" ", text.translate(_PLAIN))).strip()


def parts_of(quotation: str) -> list[str]:
    """Returns the parts of a quotation between what it leaves out, as they are compared."""
    parts = [normalized(part) for part in _LEFT_OUT.split(_INSERTED_LETTER.sub(r"\1", quotation))]
    parts = [part for part in parts if part.strip(_AT_END)]
    if parts:
        parts[-1] = parts[-1].rstrip(_AT_END)
    return parts


def stands_in(parts: Sequence[str], excerpt: str) -> bool:
    """Returns whether the parts of a quotation stand in a normalized excerpt, one after the other."""
    place = 0
    for number, part in enumerate(parts):
        ways = [part] if number else [part, _other_case(part)]
        places = [end for way in ways if (end := _end_of(way, excerpt, place)) >= 0]
        if not places:
            return False
        place = min(places)
    return True


def _other_case(part: str) -> str:
    first = part[:1]
    return (first.lower() if first.isupper() else first.upper()) + part[1:]


def _end_of(part: str, excerpt: str, start: int) -> int:
    """Returns where a part ends in an excerpt, from a place on, as whole words; -1 if it stands nowhere."""
    place = start - 1
    for _ in range(MOST_PLACES):
        if (place := excerpt.find(part, place + 1)) < 0:
            break
        end = place + len(part)
        if not _joined(excerpt, place, part[0]) and not _joined(excerpt, end, part[-1]):
            return end
    return -1


def _joined(text: str, place: int, inner: str) -> bool:
    """Returns whether a word goes on beyond a place: `inner` is the character on the one side of it that matched."""
    return 0 < place < len(text) and inner.isalnum() and text[place - 1].isalnum() and text[place].isalnum()
