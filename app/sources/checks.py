"""The checks of sources, quotations and numbers: pure, and linear in the text (decisions, section 22)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.checks.rules import Check, Failure, Subject
from app.checks.vocabulary import CheckName
from app.sources.citations import Block, Citations
from app.sources.numbers import all_values, numbers_of, values_of
from app.sources.quotations import normalized, parts_of, quotations_of, stands_in
from app.sources.rules import Sources

MOST_COMPARED = 200_000_000
"""Maximum number of characters that the quotations of a text are compared with."""
SHOWN = 80
"""Maximum number of characters of a quotation that a message shows."""
TOO_MANY = "The text has more quotations than are compared: divide the document."


@dataclass(frozen=True)
class Wrong:
    """A problem at a place of a block."""

    message: str
    block: Block
    start: int
    length: int = 0

    @property
    def line(self) -> int:
        """The line where it begins."""
        return self.block.line_at(self.start)

    @property
    def exact(self) -> str:
        """The words that are wrong."""
        return self.block.text[self.start : self.start + self.length].strip()


@dataclass(frozen=True)
class Evidence:
    """A text with its sources, as the checks compare them."""

    sources: Sources
    cite: Callable[[], Citations]
    """Returns what the text cites."""

    @cached_property
    def citations(self) -> Citations:
        return self.cite()

    @cached_property
    def with_excerpt(self) -> Mapping[int, str]:
        """The excerpts, as quotations are compared with them, by the number of the source."""
        excerpts = {number: normalized(one["excerpt"]) for number, one in self.sources.items()}
        return {number: excerpt for number, excerpt in excerpts.items() if excerpt}

    @cached_property
    def numbers(self) -> Mapping[str, frozenset[int]]:
        """For each number in an excerpt the sources that have it."""
        found: dict[str, set[int]] = {}
        for number, source in self.sources.items():
            for value in set(all_values(source["excerpt"])):
                found.setdefault(value, set()).add(number)
        return {value: frozenset(numbers) for value, numbers in found.items()}

    def cited_excerpts(self, block: Block) -> list[int]:
        """Returns the sources with an excerpt that a block cites, each once."""
        return [number for number in dict.fromkeys(block.cites) if number in self.with_excerpt]


def evidence_of(subject: Subject) -> Evidence:
    """Returns what the feature read for the checks of a document."""
    found: Evidence = subject.added["evidence"]
    return found


def _sources_known(subject: Subject) -> Iterator[Failure]:
    """A reference like `[^s3]` names no source of the document."""
    evidence = evidence_of(subject)
    for number, line in evidence.citations.lines.items():
        if number not in evidence.sources:
            yield Failure(f"[^s{number}] names no source: correct the number, or add the source.", line)


def _sources_cited(subject: Subject) -> Iterator[Failure]:
    """A source of the document is not cited by its text."""
    evidence = evidence_of(subject)
    for number, source in evidence.sources.items():
        if number not in evidence.citations.lines:
            yield Failure(f"Source {number}, {source['title'][:SHOWN]!r}, is not cited: cite it as [^s{number}].")


def _quotes_verbatim(subject: Subject) -> Iterator[Failure]:
    """A quotation of five words or more, in a paragraph that cites sources with an excerpt, stands in none of them."""
    return (Failure(one.message, one.line) for one in wrong_quotations(evidence_of(subject)))


def wrong_quotations(evidence: Evidence) -> Iterator[Wrong]:
    """Yields what is wrong with quotations."""
    compared = 0
    for block in evidence.citations.blocks:
        if not (cited := evidence.cited_excerpts(block)):
            continue
        excerpts = [evidence.with_excerpt[number] for number in cited]
        size = sum(map(len, excerpts))
        for quotation, place in quotations_of(block):
            parts = parts_of(quotation)
            compared += size * max(1, 2 * len(parts))
            if compared > MOST_COMPARED:
                yield Wrong(TOO_MANY, block, place)
                return
            if parts and not any(stands_in(parts, one) for one in excerpts):
                shown = " ".join(quotation.split())[:SHOWN]
                where = ", ".join(map(str, cited[:5]))
                message = f"{shown!r} does not stand so in the excerpt of source {where}: quote it word by word, or "
                yield Wrong(f"{message}correct the excerpt.", block, place, len(quotation))


def _numbers_sourced(subject: Subject) -> Iterator[Failure]:
    """A percentage, an amount of money, or a number of four digits and more that is no year, is in a paragraph without
    a source, or in none of the excerpts of those that it cites."""
    return (Failure(one.message, one.line) for one in wrong_numbers(evidence_of(subject)))


def wrong_numbers(evidence: Evidence) -> Iterator[Wrong]:
    """Yields what is wrong with numbers."""
    for block in evidence.citations.blocks:
        is_sourced = any(number in evidence.sources for number in block.cites)
        cited = frozenset(evidence.cited_excerpts(block))
        for number, place in numbers_of(block.text) if cited or not is_sourced else ():
            shown = repr(number[:SHOWN])
            if not is_sourced:
                message = f"{shown} has no source: cite one in its paragraph, as [^s1]."
                yield Wrong(message, block, place, len(number))
            elif not any(cited & evidence.numbers.get(value, frozenset()) for value in values_of(number)):
                where = ", ".join(map(str, sorted(cited)[:5]))
                message = f"{shown} stands in no excerpt of source {where}: correct it, or cite its source."
                yield Wrong(message, block, place, len(number))


def _has_excerpt(subject: Subject) -> Any:
    return evidence_of(subject).with_excerpt


CHECKS = (
    Check(CheckName.SOURCES_KNOWN, "Every reference names a source.", _sources_known, reads_text=True),
    Check(CheckName.SOURCES_CITED, "Every source is cited.", _sources_cited, reads_text=True),
    Check(
        CheckName.QUOTES_VERBATIM,
        "Quotations stand in the excerpts of their sources.",
        _quotes_verbatim,
        _has_excerpt,
        "No source has an excerpt.",
        reads_text=True,
    ),
    Check(
        CheckName.NUMBERS_SOURCED,
        "Numbers have a source, and stand in its excerpt if it has one.",
        _numbers_sourced,
        reads_text=True,
    ),
)
