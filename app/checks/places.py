"""The passages of failed checks, for people who see neither lines nor marks: by their first words and their heading."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from textwrap import shorten
from urllib.parse import quote

from app.core.text.content import LEFT_OUT, Content, Passage

SHOWN = 60
IN_WORDS = (
    (re.compile(r"^The image (['\"])(?:\S*/)?(.*?)\1 has no alternative text"), r"The picture “\2” has no description"),
    (re.compile(r"^\[\^s(\d+)\] names no source"), r"Source \1 is cited but not listed"),
    (re.compile(r",? as \[\^s\d+\]"), ""),
    (re.compile(r" the one in line \d+"), " an earlier one"),
    (re.compile(r"brief has no `wordCount` of"), "brief has no length of"),
    (re.compile(r"(?<!\w)(['\"])(.*?)\1(?!\w)"), r"“\2”"),
)


@dataclass(frozen=True)
class Place:
    """A place of a text, for people."""

    words: str
    """Like `In the passage that begins “Rye keeps”, under the heading “Flour”.`"""
    fragment: str
    """The part of an address that has browsers scroll to it (text fragments)."""


def in_words(message: str) -> str:
    """Returns a check's message without lines, marks of markdown and names of fields."""
    for pattern, replacement in IN_WORDS:
        message = pattern.sub(replacement, message)
    return message


def places_of(content: Content, lines: Iterable[int]) -> Mapping[int, Place]:
    """Returns the places of lines."""
    return {line: _place_of(content, line) for line in {*lines}}


def _place_of(content: Content, line: int) -> Place:
    heading, headed = _last_before(line, ((title, begins) for _, title, begins in content.headings))
    text, begins = _last_before(line, content.prose)
    text = text.split(LEFT_OUT)[0]
    if headed == line:
        return Place(f"In the heading “{_cut(heading)}”.", _fragment(heading))
    where = f"nder the heading “{_cut(heading)}”." if heading else ""
    if not text.strip() or line > begins + text.count("\n"):
        return Place(f"U{where}" if where else "At the beginning.", _fragment(heading))
    return Place(f"In the passage that begins “{_cut(text)}”{', u' if where else '.'}{where}", _fragment(text))


def _last_before(line: int, passages: Iterable[Passage]) -> Passage:
    return max((one for one in passages if one[1] <= line), key=itemgetter(1), default=("", 0))


def _cut(text: str) -> str:
    short = shorten(text, SHOWN, placeholder="…")
    return short if len(short) > 1 else f"{text[:SHOWN]}…"


def _fragment(text: str) -> str:
    return ":~:text=" + quote(_cut(text).removesuffix("…"), safe="").replace("-", "%2D") if text else ""
