"""A document's markdown as sections: one for each heading, and one for the text before the first.

Put together again the sections are the markdown, to the character, so that two writers can change different sections
of one document and neither loses anything. (decisions, section 12)
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from app.core.errors import BadRequest, Problem, VersionConflict
from app.core.text.content import Heading, headings_of
from app.core.text.html import word_count

HASH_LENGTH = 16
SECTIONS_MISSING = "No section of the document has these hashes any more, or those that do have another `number`"

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Section:
    """A part of a document's markdown; section 0 is the text before the first heading and has level 0 and no title."""

    number: int
    level: int
    title: str
    line: int
    text: str

    @cached_property
    def hash(self) -> str:
        """The first 16 hex digits of the SHA-256 of the text in UTF-8: an edit names the section by it."""
        return hash_of(self.text)

    @cached_property
    def words(self) -> int:
        """The number of words in the section."""
        return word_count(self.text)


@dataclass(frozen=True)
class Edit:
    """One change of a document's sections: `markdown` replaces the section with this hash, or follows it."""

    hash: str
    markdown: str
    number: int | None = None
    """Which of several sections with the same hash; the first by default."""
    insert_after: bool = False


def hash_of(text: str) -> str:
    """Returns the hash that names a section with this text."""
    return hashlib.sha256(text.encode()).hexdigest()[:HASH_LENGTH]


def partition(markdown: str, headings: Sequence[Heading] | None = None) -> list[Section]:
    """Returns the sections of a document's markdown, which are the markdown when they are joined.

    Headings that are not given are parsed.
    """
    headings = headings_of(markdown) if headings is None else headings
    lines = [0, *(end.end() for end in _LINE_END.finditer(markdown))] if headings else []
    starts = [0, *(lines[line - 1] for _, _, line in headings), len(markdown)]
    return [
        Section(number, level, title, line, markdown[start:end])
        for number, ((level, title, line), (start, end)) in enumerate(
            zip([(0, "", 1), *headings], pairwise(starts), strict=True)
        )
        if number or end
    ]


def apply_edits(markdown: str, edits: Sequence[Edit], version: int) -> str:
    """Returns a version's markdown with all edits made; each names a section of it as it is before.

    A blank line separates a new piece of text from its neighbours. Refuses with `VersionConflict` edits of sections
    that it does not have, and with `BadRequest` those that replace the same section.
    """
    sections = partition(markdown) or [Section(0, 0, "", 1, "")]
    alike: dict[str, list[int]] = defaultdict(list)
    for place, section in enumerate(sections):
        alike[section.hash].append(place)
    targets = [_target(sections, alike, edit) for edit in edits]
    if missing := [edit.hash for edit, target in zip(edits, targets, strict=True) if target is None]:
        advice = "read its outline and edit what it has"
        raise VersionConflict(SECTIONS_MISSING, advice=advice, version=version, hashes=missing)
    replaced: dict[int, str] = {}
    followers: dict[int, list[str]] = {}
    for index, (edit, target) in enumerate(zip(edits, targets, strict=True)):
        assert target is not None
        if edit.insert_after:
            followers.setdefault(target, []).append(edit.markdown)
        elif target in replaced:
            message = "Replaces the same section as an earlier edit."
            raise BadRequest(errors=[Problem(field=f"edits[{index}].hash", message=message)])
        else:
            replaced[target] = edit.markdown
    line_end = found[0] if (found := _LINE_END.search(markdown)) else "\n"
    pieces: list[tuple[str, int | None]] = []
    for place, section in enumerate(sections):
        text = replaced.get(place, section.text)
        pieces.append((text, place if text == section.text else None))
        pieces += [(text, None) for text in followers.get(place, ())]
    return _joined(pieces, line_end)


def removed_headings(before: str, after: str, edits: Iterable[Edit]) -> list[str]:
    """Returns the titles of the headings that edits dropped, without those that got another title."""
    renamed = {edit.hash for edit in edits if not edit.insert_after and headings_of(edit.markdown)}
    sections = [section for section in partition(before) if section.level]
    gone = Counter(section.title for section in sections) - Counter(title for _, title, _ in headings_of(after))
    removed = []
    for section in sections:
        if gone[section.title] > 0:
            gone[section.title] -= 1
            removed += [section.title] if section.hash not in renamed else []
    return removed


def _joined(pieces: Iterable[tuple[str, int | None]], line_end: str) -> str:
    """Returns pieces of text in a row, with a blank line where two that were no neighbours would run together.

    Each has its place among the sections of before; a new one has none.
    """
    parts: list[str] = []
    following: int | None = None
    for text, place in pieces:
        if not text:
            continue
        if parts and (place is None or place != following):
            parts.append(line_end * _missing_line_ends("".join(parts[-2:]), text))
        parts.append(text)
        following = None if place is None else place + 1
    return "".join(parts)


def _missing_line_ends(before: str, after: str) -> int:
    """Returns how many line ends it takes for a blank line between two texts."""
    blank_before = re.search(r"(?>\r\n|\r|\n)[ \t]*(?>\r\n|\r|\n)[ \t]*\Z", before[-200:])
    blank_after = re.match(r"[ \t]*(?:\r\n|\r|\n)", after)
    ended = before.endswith(("\n", "\r"))
    if blank_before or (ended and blank_after):
        return 0
    return 1 if ended or blank_after else 2


def _target(sections: Sequence[Section], alike: Mapping[str, Sequence[int]], edit: Edit) -> int | None:
    """Returns the place of the section that an edit names, None where there is none."""
    places = alike.get(edit.hash, ())
    return next((place for place in places if edit.number in (None, sections[place].number)), None)
