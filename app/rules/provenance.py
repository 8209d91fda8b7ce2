"""Who wrote each paragraph of a text: from which versions it comes (decisions, section 18).

The origins of a paragraph are a set of versions, kept as an integer with a bit for each: they are inherited, joined and
stored in no time, however many versions there are. A text is stored with the origins of its paragraphs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from app.documented import doc, one_of
from app.rules.actors import Actor
from app.rules.revisions import StoredRevision
from app.vocabulary import WriterKind

MOST_PARAGRAPHS = 50_000
"""The most paragraphs of a text; what follows the last but one is one paragraph. 2 MB can have a million."""
MOST_NAMED = 100_000
"""Up to so many writers of all paragraphs together, each paragraph names every version; beyond that, every writer."""

_SPACES = re.compile(r"[ \t]+$", re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
"""A line that opens fenced code, in quotes and lists too."""


class Paragraph(NamedTuple):
    """What stands between blank lines, without the spaces at the ends of its lines."""

    line: int
    """The number of its first line, from 1."""
    text: str


class Writer(TypedDict):
    """Who wrote a version, and with which model."""

    version: Annotated[int, doc("the version")]
    by: Annotated[Actor, doc("who wrote it, or suggested it")]
    model: Annotated[str | None, doc("the model that they declared; null for none", "example-4")]
    kind: Annotated[str, one_of(WriterKind), doc("whether it counts as an agent's or a person's", "agent")]


class WrittenParagraph(TypedDict):
    """A paragraph, and who wrote it."""

    line: Annotated[int, doc("its first line, from 1")]
    words: Annotated[int, doc("its words", 4)]
    by: Annotated[list[Writer], doc("who wrote it, the newest version first")]


@dataclass(frozen=True)
class Provenance:
    """Who wrote a text."""

    paragraphs: list[WrittenParagraph]

    def words(self, kind: WriterKind | None = None) -> int:
        """Returns the words of the paragraphs that somebody of a kind wrote on; of all without one."""
        found = (one for one in self.paragraphs if kind is None or any(by["kind"] == kind for by in one["by"]))
        return sum(one["words"] for one in found)

    @property
    def models(self) -> list[str]:
        """The models that were declared for the text."""
        return sorted({by["model"] for one in self.paragraphs for by in one["by"] if by["model"] is not None})

    def words_by_agent(self) -> list[tuple[Actor, int]]:
        """Returns the words of the paragraphs that each agent wrote on."""
        actors: dict[str | None, Actor] = {}
        words: dict[str | None, int] = defaultdict(int)
        for one in self.paragraphs:
            agents = {by["by"]["id"]: by["by"] for by in one["by"] if by["kind"] == WriterKind.AGENT}
            for token_id, actor in agents.items():
                actors.setdefault(token_id, actor)
                words[token_id] += one["words"]
        return [(actors[token_id], number) for token_id, number in words.items()]


def paragraphs_of(markdown: str) -> list[Paragraph]:
    """Returns the paragraphs of a text: fenced code is one with what adjoins it, blank lines and all."""
    text, found = _without_spaces_at_line_ends(markdown), []
    place, line = 0, 1
    for paragraph in _divided(text):
        begins = text.index(paragraph, place)
        line += text.count("\n", place, begins)
        found.append(Paragraph(line, paragraph))
        place, line = begins + len(paragraph), line + paragraph.count("\n")
    return found


def origins_after(before: Sequence[int], text_before: str, text_after: str, version: int) -> list[int]:
    """Returns the origins of a text that a version wrote, from those of the text before it.

    A paragraph that stood there before keeps its origins, wherever it stands now, each copy once. Of a run that
    replaced another at the same place, next to a paragraph that stayed, each comes from the new version and from all
    that those came from.
    """
    new = _divided(_without_spaces_at_line_ends(text_after))
    stayed = _stayed(_divided(_without_spaces_at_line_ends(text_before)), new)
    after_it, before_it = _replaced(before, {place for place in stayed if place is not None})
    origins: list[int] = []
    left = -1
    for is_new, run in groupby(zip(stayed, range(len(new)), strict=True), key=lambda one: one[0] is None):
        places = list(run)
        if is_new:
            following = places[-1][1] + 1
            right = stayed[following] if following < len(new) else len(before)
            written = 1 << version | after_it.get(left, 0) | before_it.get(right, 0)
            origins += [written] * len(places)
        else:
            kept = [place for place, _ in places if place is not None]
            origins += [before[place] for place in kept]
            left = kept[-1]
    return origins


def of_everybody(markdown: str, version: int) -> list[int]:
    """Returns the origins of a text that was stored without any: each paragraph may come from all versions."""
    return [(1 << version + 1) - 2] * len(paragraphs_of(markdown))


def dump_origins(origins: Iterable[int]) -> str:
    """Returns origins as they are stored: the sets in hex, and which of them how many paragraphs have in a row."""
    numbers: dict[int, int] = {}
    runs = [f"{numbers.setdefault(one, len(numbers))}x{len(list(run))}" for one, run in groupby(origins)]
    return f"{','.join(f'{one:x}' for one in numbers)};{','.join(runs)}"


def load_origins(stored: str) -> list[int]:
    """Returns stored origins."""
    sets, _, runs = stored.partition(";")
    found = [int(one, 16) for one in sets.split(",") if one]
    origins: list[int] = []
    for run in filter(None, runs.split(",")):
        number, _, count = run.partition("x")
        origins += [found[int(number)]] * int(count)
    return origins


def is_from(stored: str | None, version: int) -> bool:
    """Returns whether a text has a paragraph that comes from a version; one that was stored without origins may."""
    return stored is None or any(origins >> version & 1 for origins in set(load_origins(stored)))


def versions_in(origins: int) -> list[int]:
    """Returns the versions of a set of origins, the newest first."""
    return [version for version in range(origins.bit_length() - 1, 0, -1) if origins >> version & 1]


def provenance_of(
    paragraphs: Sequence[Paragraph],
    words: Sequence[int],
    origins: Sequence[int],
    revisions: Mapping[int, StoredRevision],
) -> Provenance:
    """Returns who wrote the paragraphs of a text, which have so many words; `revisions` are the versions by number."""
    writers = {one: _writers(versions_in(one), revisions) for one in set(origins)}
    if sum(len(writers[one]) for one in origins) > MOST_NAMED:
        writers = {one: _each_once(by) for one, by in writers.items()}
    of_paragraphs = zip(paragraphs, words, origins, strict=True)
    return Provenance(
        [{"line": one.line, "words": number, "by": writers[origin]} for one, number, origin in of_paragraphs]
    )


def writers_of(revision: StoredRevision) -> list[Writer]:
    """Returns who wrote a version: its author, and the agent whose suggestion they accepted."""
    generation, suggested_by = revision.get("generation"), revision.get("suggestedBy")
    kind = WriterKind.AGENT if revision["by"]["agent"] else WriterKind.PERSON
    own: Writer = {
        "version": revision["version"],
        "by": revision["by"],
        "model": generation["model"] if generation else None,
        "kind": revision.get("kind") or kind,
    }
    if suggested_by is None or (suggested_by["id"] == own["by"]["id"] and own["kind"] == WriterKind.AGENT):
        return [own]
    return [own, {"version": revision["version"], "by": suggested_by, "model": None, "kind": WriterKind.AGENT}]


def _without_spaces_at_line_ends(markdown: str) -> str:
    text = markdown.replace("\r\n", "\n").replace("\r", "\n") if "\r" in markdown else markdown
    has_some = " \n" in text or "\t\n" in text or text.endswith((" ", "\t"))
    return _SPACES.sub("", text) if has_some else text


def _divided(text: str) -> list[str]:
    """Returns the paragraphs of a text without spaces at the ends of lines."""
    parts = text.split("\n\n")
    if "```" not in text and "~~~" not in text and len(parts) < MOST_PARAGRAPHS:
        return [paragraph for part in parts if (paragraph := part.strip("\n"))]
    found: list[str] = []
    begun: list[str] = []
    fence = ""
    for part in parts:
        if begun and not fence and len(found) < MOST_PARAGRAPHS - 1:
            found.append("\n\n".join(begun).strip("\n"))
            begun = []
        if begun or part.strip("\n"):
            begun.append(part)
            if "```" in part or "~~~" in part:
                fence = _fence_after(fence, part)
    return [*found, "\n\n".join(begun).strip("\n")] if begun else found


def _fence_after(fence: str, part: str) -> str:
    """Returns the fence that is open after part of a text, where `fence` was open before it; empty for none."""
    for line in part.split("\n"):
        if not fence:
            found = _FENCE.match(line)
            fence = found[1] if found else ""
        elif (inner := line.strip(" \t>")).startswith(fence) and not inner.strip(fence[0]):
            fence = ""
    return fence


def _stayed(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Returns for each new paragraph its place before, None for one that stood nowhere; the first copy is the first."""
    places: dict[str, list[int]] = defaultdict(list)
    for place in range(len(old) - 1, -1, -1):
        places[old[place]].append(place)
    return [places[text].pop() if places.get(text) else None for text in new]


def _replaced(before: Sequence[int], stayed: set[int]) -> tuple[dict[int | None, int], dict[int | None, int]]:
    """Returns what the paragraphs that are gone came from, by the place after which they stood, and before which."""
    after_it: dict[int | None, int] = {}
    before_it: dict[int | None, int] = {}
    left = -1
    for place in [*sorted(stayed), len(before)]:
        gone = 0
        for one in before[left + 1 : place]:
            gone |= one
        after_it[left] = before_it[place] = gone
        left = place
    return after_it, before_it


def _writers(versions: Iterable[int], revisions: Mapping[int, StoredRevision]) -> list[Writer]:
    return [writer for version in versions if version in revisions for writer in writers_of(revisions[version])]


def _each_once(writers: Iterable[Writer]) -> list[Writer]:
    """Returns each writer at their newest version alone."""
    newest = {(one["by"]["id"], one["by"]["agent"], one["model"], one["kind"]): one for one in reversed([*writers])}
    return sorted(newest.values(), key=lambda one: -one["version"])
