"""The passages that cite a source beside its excerpt, with the words that match and what is wrong marked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import regex

from app.core.text.words import folded
from app.sources.checks import Evidence, Wrong, wrong_numbers, wrong_quotations
from app.sources.citations import Block
from app.sources.rules import StoredSource

_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
RUN = 3
"""Words in a row that count as a match."""
MOST_PASSAGES = 20
"""Maximum number of passages of a source that a page shows."""
SHOWN = 2_000
"""Maximum number of characters of a passage that a page shows."""

Pieces = list[tuple[str, str]]
"""Text in pieces, each with its mark: `same`, `wrong`, or none."""


@dataclass(frozen=True)
class Compared:
    """A source that a text cites, with the passages; None for a reference to no source."""

    number: int
    source: StoredSource | None
    excerpt: Pieces
    passages: Sequence[Pieces]
    """The passages that cite it."""


def wrong_places(evidence: Evidence) -> list[Wrong]:
    """Returns the quotations and numbers that stand in no excerpt of the sources that their paragraph cites."""
    return [one for one in chain(wrong_quotations(evidence), wrong_numbers(evidence)) if one.block.cites]


def compared_sources(evidence: Evidence, wrong: Iterable[Wrong]) -> list[Compared]:
    """Returns what a text cites, in its order, each with its passages, in which places are wrong."""
    places: dict[int, list[tuple[int, int]]] = {}
    for one in wrong:
        places.setdefault(id(one.block), []).append((one.start, one.start + one.length))
    citing: dict[int, list[Block]] = {number: [] for number in evidence.citations.lines}
    for block in evidence.citations.blocks:
        for number in dict.fromkeys(block.cites):
            citing[number].append(block)
    found = []
    for number, blocks in citing.items():
        source = evidence.sources.get(number)
        excerpt = source["excerpt"] if source else ""
        texts = [block.text[:SHOWN] for block in blocks[:MOST_PASSAGES]]
        passages = [
            marked(text, [excerpt], places.get(id(block), ())) for block, text in zip(blocks, texts, strict=False)
        ]
        found.append(Compared(number, source, marked(excerpt, texts), passages))
    return found


def marked(text: str, others: Sequence[str], wrong: Sequence[tuple[int, int]] = ()) -> Pieces:
    """Returns a text in pieces: runs of three words that another has, too, and the places that are wrong."""
    known = {run for other in others for run in _runs([folded(one) for one in _WORD.findall(other)])}
    words = [(folded(found[0]), found.start(), found.end()) for found in _WORD.finditer(text)]
    kinds = [""] * len(text)
    for first, run in enumerate(_runs([word for word, _, _ in words])):
        if run in known:
            start, end = words[first][1], words[first + RUN - 1][2]
            kinds[start:end] = ["same"] * (end - start)
    for start, end in wrong:
        kinds[start:end] = ["wrong"] * (min(end, len(text)) - min(start, len(text)))
    pieces: Pieces = []
    for character, kind in zip(text, kinds, strict=False):
        if pieces and pieces[-1][1] == kind:
            pieces[-1] = pieces[-1][0] + character, kind
        else:
            pieces.append((character, kind))
    return pieces


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(words[first:] for first in range(RUN)), strict=False))
