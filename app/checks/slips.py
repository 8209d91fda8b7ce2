"""Slips of language models: what belongs to a conversation or to the form of an answer, and stands in the text.

(decisions, section 23)
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

import regex

from app.core.text.content import Content, Passage

MOST_PASSAGES, MOST_CHARACTERS = 20, 500
"""Of a text's beginning these many passages are read, and these many characters of each."""

_FENCE = regex.compile(r"^\ufeff? {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", regex.MULTILINE)
_FRONT_MATTER = regex.compile(
    r"\A[\s\ufeff]*(---|\+\+\+)[ \t]*\r?\n[A-Za-z_][\w-]*[ \t]*[:=](?:[^\n]*\n){1,100}?(?:\1|\.\.\.)[ \t]*\r?$",
    regex.MULTILINE,
)
_TO_THE_USER = regex.compile(
    r"\A(?:sure|certainly|of course|absolutely|got it|gladly)[!,.:]+\s+(?:here|below|i\b|let me)"
    r"|\bhere(?:['’]s| is| are)\b[^.!?\n]{0,80}\b(?:you (?:asked|requested|wanted)|as requested|for you\b|for review)"
    r"|\A(?:here(?:['’]s| is)|below is)\s+(?:the|your|an?)\b[^.!?\n]{0,60}"
    r"\b(?:article|post|draft|text|content|version|document|piece)\b[^.!?\n]{0,60}:\s*\Z"
    r"|\bi(?:['’]ve| have)\s+(?:written|drafted|prepared|revised|rewritten)\b[^.!?\n]{0,60}"
    r"\b(?:for you|article|post|draft|document|brief)\b"
    r"|\b(?:let me know if you(?:['’]d)? (?:like|want|need)|feel free to ask|would you like me to|do you want me to"
    r"|(?:i['’]m|i am) happy to (?:help|revise|adjust)|i hope this helps)\b",
    regex.IGNORECASE,
)
_WRITTEN_OUT = regex.compile(r"(?<![:\\])\\n(?![a-z])")

Slip = tuple[str, int]
"""A problem, and the line where it begins."""


def slips_of(markdown: str, content: Content) -> Iterator[Slip]:
    """Yields the slips of a text, whose content was read already."""
    fences = list(_fences(markdown))
    if fences and fences[0][1] is not None and not _outside(markdown, *fences[0]):
        yield "The whole text stands in a code fence: write the markdown itself.", fences[0][0]
    if found := _FRONT_MATTER.match(markdown):
        line = 1 + markdown.count("\n", 0, found.start(1))
        yield "Front matter stands in the text: send its values as the document's fields.", line
    for text, line in _beginning(content):
        if _TO_THE_USER.search(text[:MOST_CHARACTERS]):
            yield f"{text[:60]!r} speaks to who asked for the text, not to its readers.", line
    for text, line in content.prose:
        if found := _WRITTEN_OUT.search(text):
            yield r"A line break is written as the two characters \n.", line + text.count("\n", 0, found.start())
    if fences and fences[-1][1] is None:
        yield "A code fence is not closed: the rest of the text is code.", fences[-1][0]


def _fences(markdown: str) -> Iterator[tuple[int, int | None]]:
    """Yields the lines in which fences outside of quotes begin and end; None for one that does not end."""
    line, end, opened = 1, 0, ("", 0)
    for found in _FENCE.finditer(markdown):
        line += markdown.count("\n", end, found.start())
        end, (mark, rest) = found.start(), found.groups()
        if not opened[0]:
            opened = mark, line
        elif mark.startswith(opened[0]) and not rest.strip():
            yield opened[1], line
            opened = "", 0
    if opened[0]:
        yield opened[1], None


def _outside(markdown: str, first: int, last: int | None) -> str:
    """Returns what stands before and after the lines of a fence, without spaces."""
    lines = markdown.split("\n")
    return "".join([*lines[: first - 1], *lines[last or len(lines) :]]).strip("\ufeff \t\r\n")


def _beginning(content: Content) -> Sequence[Passage]:
    """Returns the passages before the first heading; of a text without headings the first three."""
    if not content.headings:
        return content.prose[:3]
    first = content.headings[0][2]
    return list(takewhile(lambda passage: passage[1] < first, content.prose[:MOST_PASSAGES]))
