"""Who wrote each paragraph of a text: from which versions it comes (decisions, section 18).

The origins of a paragraph are a set of versions, kept as an integer with a bit for each: they are inherited, joined and
stored in no time, however many versions there are. They follow from a text and the one that it replaced, so they are
computed after the write, and stored with the text.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from itertools import groupby, islice, pairwise
from operator import or_
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import doc, one_of
from app.core.errors import WriteConflict
from app.core.text.html import word_count
from app.provenance.reviews import AgentWords, AttributedRevision, Attribution, HumanReview, disclosure_of
from app.provenance.vocabulary import WriterKind

MOST_PARAGRAPHS = 50_000
"""Maximum number of paragraphs of a text; what follows the last but one is one paragraph. 2 MB can have a million."""
DIGEST_BYTES = 16
MOST_NAMED = 100_000
"""Up to this many writers of all paragraphs together, paragraphs name every version; beyond it, every writer."""

_MARKS = r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
"""The marks of list items that code may stand in."""
_FENCE = r"(`{3,}(?=[^`\n]*$)|~{3,})"
_CLOSES = r"[ \t>]*\%d(?:(?<=`)`|(?<=~)~)*[ \t>]*$"
_PARAGRAPH = re.compile(
    rf"""(?:(?:
        [ \t]*{_MARKS}{_FENCE}.*(?:\n(?!{_CLOSES % 1}).*)*(?:\n.*)?  # fenced code, to its end or that of the text
        |[ \t>]*{_MARKS}{_FENCE}.*(?:\n(?!{_CLOSES % 2}).+)*(?:\n{_CLOSES % 2})?  # in a quote, which ends it too
        |.+
    )(?:\n|\Z))+""",
    re.MULTILINE | re.VERBOSE,
)
"""The lines of a paragraph, blank ones only inside of fenced code."""


class Paragraph(NamedTuple):
    """The text between blank lines, without the spaces at the ends of its lines."""

    line: int
    """The number of its first line, from 1."""
    text: str


class WrittenText(NamedTuple):
    """A text, and the version that brought it."""

    content_id: str
    version: int


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


def digests_of(markdown: str) -> list[bytes]:
    """Returns the digests of a text's paragraphs; equal paragraphs have the same, others never, whatever is tried."""
    paragraphs = _divided(_without_spaces_at_line_ends(markdown))
    return [blake2b(one.encode(), digest_size=DIGEST_BYTES).digest() for one in paragraphs]


def ancestry(contents: Mapping[int, str | None], content_id: str) -> list[WrittenText]:
    """Returns the texts that a text goes back to, the oldest first and itself last.

    `contents` are the ids of a document's texts by version, None for no content. Each text replaced that of the version
    before it; one that restores an earlier text brings none. Raises `WriteConflict` where no version has the text.
    """
    brought: dict[str | None, int] = {}
    replaced: dict[str | None, str | None] = {}
    before: str | None = None
    for version, content in sorted(contents.items()):
        if content not in brought:
            brought[content], replaced[content] = version, before
        before = content
    if content_id not in brought:
        raise WriteConflict
    found: list[WrittenText] = []
    before = content_id
    while before is not None:
        found.append(WrittenText(before, brought[before]))
        before = replaced[before]
    return found[::-1]


def origins_after(before: Sequence[int], old: Sequence[bytes], new: Sequence[bytes], version: int) -> list[int]:
    """Returns the origins of a text that a version wrote, from those of the text before it, and the digests of both.

    A paragraph that stood there before keeps its origins, wherever it stands now, each copy once. Of a run that
    replaced another at the same place, next to a paragraph that stayed, each comes from the new version and from all
    that those came from.
    """
    stayed, end = _stayed(old, new), len(old)
    kept = sorted({-1, end} | {place for place in stayed if place is not None})
    gone = [(left, right, reduce(or_, before[left + 1 : right], 0)) for left, right in pairwise(kept)]
    gone_after, gone_before = {left: one for left, _, one in gone}, {right: one for _, right, one in gone}
    origins: list[int] = []
    left, added = -1, 0
    for place in [*stayed, end]:
        if place is None:
            added += 1
            continue
        if added:
            origins += [1 << version | gone_after[left] | gone_before[place]] * added
        if place < end:
            origins.append(before[place])
        left, added = place, 0
    return origins


def dump_origins(origins: Iterable[int]) -> str:
    """Returns origins as they are stored: the sets in hex, and for each run of paragraphs its set and length."""
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


def is_from(stored: str, version: int) -> bool:
    """Returns whether a text has a paragraph that comes from a version."""
    return any(origins >> version & 1 for origins in set(load_origins(stored)))


def versions_in(origins: int) -> list[int]:
    """Returns the versions of a set of origins, the newest first."""
    return [version for version in range(origins.bit_length() - 1, 0, -1) if origins >> version & 1]


def provenance_of(
    paragraphs: Sequence[Paragraph],
    count: Callable[[str, Sequence[Writer]], int],
    origins: Sequence[int],
    revisions: Mapping[int, AttributedRevision],
) -> Provenance:
    """Returns who wrote the paragraphs of a text, with the words that `count` counts in them.

    `revisions` are the versions by number.
    """
    writers = {one: _writers(versions_in(one), revisions) for one in set(origins)}
    if sum(len(writers[one]) for one in origins) > MOST_NAMED:
        writers = {one: _each_once(by) for one, by in writers.items()}
    written = [(one, writers[origin]) for one, origin in zip(paragraphs, origins, strict=True)]
    return Provenance([{"line": one.line, "words": count(one.text, by), "by": by} for one, by in written])


def words_in(paragraph: str, _by: Sequence[Writer]) -> int:
    """Returns the words of a paragraph, whoever wrote it."""
    return word_count(paragraph)


def words_of_agents(paragraph: str, by: Sequence[Writer]) -> int:
    """Returns the words of a paragraph that an agent wrote on, 0 of another: a publication names those alone."""
    return word_count(paragraph) if any(one["kind"] == WriterKind.AGENT for one in by) else 0


def attribution_of(written: Provenance, review: HumanReview | None) -> Attribution:
    """Returns what a publication has of the provenance of its text; `review` is the record of its version, if any."""
    agents = [AgentWords(by=by, words=words) for by, words in written.words_by_agent()]
    return {"disclosure": disclosure_of(written.words(WriterKind.AGENT), written.models, review), "agentWords": agents}


def writers_of(revision: AttributedRevision) -> list[Writer]:
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
    if " \n" in text or "\t\n" in text:
        text = "\n".join([line.rstrip(" \t") for line in text.split("\n")])
    return text.rstrip(" \t")


def _divided(text: str) -> list[str]:
    """Returns the paragraphs of a text without spaces at the ends of lines."""
    if "```" in text or "~~~" in text:
        starts = [one.start() for one in islice(_PARAGRAPH.finditer(text), MOST_PARAGRAPHS)]
        return [text[start:end].rstrip("\n") for start, end in pairwise([*starts, len(text)])]
    parts = text.split("\n\n", MOST_PARAGRAPHS - 1)  # which is faster
    return [paragraph for part in parts if (paragraph := part.strip("\n"))]


def _stayed(old: Sequence[bytes], new: Sequence[bytes]) -> list[int | None]:
    """Returns for each new paragraph its place before, None for one that stood nowhere; the first copy is the first."""
    places: dict[bytes, list[int]] = defaultdict(list)
    for place in range(len(old) - 1, -1, -1):
        places[old[place]].append(place)
    return [places[digest].pop() if places.get(digest) else None for digest in new]


def _writers(versions: Iterable[int], revisions: Mapping[int, AttributedRevision]) -> list[Writer]:
    return [writer for version in versions if version in revisions for writer in writers_of(revisions[version])]


def _each_once(writers: Iterable[Writer]) -> list[Writer]:
    """Returns each writer once, with their newest version."""
    newest = {(one["by"]["id"], one["by"]["agent"], one["model"], one["kind"]): one for one in reversed([*writers])}
    return sorted(newest.values(), key=lambda one: -one["version"])
