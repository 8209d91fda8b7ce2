"""The checks that compare a text with its brief (decisions, section 12)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter

from app.checks.addresses import last_segment, page_of
from app.checks.rules import NO_KEYWORD, UNPUBLISHED_LINK, Check, Failure, Subject, keyword_of
from app.checks.vocabulary import CheckName
from app.core.slugs import slug_of
from app.core.text.content import OPENING
from app.core.text.words import compared_words

OPENING_WORDS = 100
LENGTH_TOLERANCE_PERCENT = 15
OUTLINE_WORD_LENGTH = 4
OUTLINE_LINE_SHOWN = 200


def _side_by_side(wanted: Sequence[str], words: Sequence[str]) -> bool:
    size = len(wanted)
    return any(list(words[start : start + size]) == list(wanted) for start in range(len(words) - size + 1))


def _keyword_in_title(subject: Subject) -> Iterator[Failure]:
    """The title lacks the keyword of the brief."""
    if not _side_by_side(subject.keyword_words, compared_words(subject.document["title"])):
        yield Failure(f"The title lacks the keyword {subject.keyword!r}.")


def _keyword_in_opening(subject: Subject) -> Iterator[Failure]:
    """The first 100 words lack the keyword."""
    # A word has at least one character; what follows this many can't be among the first 100 words.
    opening = compared_words(subject.content.opening[:OPENING])[:OPENING_WORDS]
    if not _side_by_side(subject.keyword_words, opening):
        yield Failure(f"The first {OPENING_WORDS} words lack the keyword {subject.keyword!r}.")


def _keyword_in_slug(subject: Subject) -> Iterator[Failure]:
    """The slug lacks the keyword."""
    slug, transliterated = compared_words(subject.document["slug"]), compared_words(slug_of(subject.keyword))
    if not any(_side_by_side(keyword, slug) for keyword in (transliterated, subject.keyword_words)):
        yield Failure(f"The slug lacks the keyword {subject.keyword!r}.")


def _length(subject: Subject) -> Iterator[Failure]:
    """The text has over 15 % more or fewer words than the brief's `wordCount`."""
    targets, words = subject.word_targets, subject.document["wordCount"]
    least, most = targets[0] * (100 - LENGTH_TOLERANCE_PERCENT), targets[-1] * (100 + LENGTH_TOLERANCE_PERCENT)
    if not least <= 100 * words <= most:
        wanted = " to ".join(f"{target:,}" for target in targets)
        yield Failure(f"The text has {words:,} word{'s' * (words != 1)}; the brief wants {wanted}.")


def _outline_covered(subject: Subject) -> Iterator[Failure]:
    """A line of the brief's outline has no heading with at least half of its words of four letters or more."""
    lines = [
        (line, frozenset(compared_words(line, OUTLINE_WORD_LENGTH)))
        for line in filter(None, map(str.strip, (subject.brief.get("outline") or "").splitlines()))
    ]
    lines_with: dict[str, list[int]] = {}
    for number, (_, wanted) in enumerate(lines):
        for word in wanted:
            lines_with.setdefault(word, []).append(number)
    covered = {number for number, (_, wanted) in enumerate(lines) if not wanted}
    named = {
        frozenset(lines_with.keys() & compared_words(title))
        for title in {title for _, title, _ in subject.content.headings}
    }
    for words in named:
        shared = Counter(chain.from_iterable(map(lines_with.__getitem__, words)))
        covered.update(number for number, count in shared.items() if 2 * count >= len(lines[number][1]))
    for number, (line, _) in enumerate(lines):
        if number not in covered:
            yield Failure(f"No heading covers the line {line[:OUTLINE_LINE_SHOWN]!r} of the brief's outline.")


def _internal_links(subject: Subject) -> Iterator[Failure]:
    """A document of the brief's `internalLinks` is not linked: no link's path ends with its slug."""
    linked = {last_segment(address) for address in {address for address, _ in subject.content.links}}
    for document in subject.internal_links:
        if document["slug"] not in linked:
            missing = f"The text does not link to {document['title']!r} (slug {document['slug']!r})"
            yield Failure(f"{missing}." if document["isPublished"] else f"{missing}, {UNPUBLISHED_LINK}")


def _references(subject: Subject) -> Iterator[Failure]:
    """A reference URL of the brief is neither linked nor the address of a source that is cited."""
    cited = subject.added.get("cited_addresses")
    addresses = {address for address, _ in subject.content.links} | (cited() if cited else set())
    linked = {page_of(address) for address in addresses}
    for url in subject.brief.get("referenceUrls") or ():
        if page_of(url) not in linked:
            yield Failure(f"The text does not link to the reference {url}.")


CHECKS: tuple[Check, ...] = (
    Check(
        CheckName.KEYWORD_IN_TITLE,
        "The title has the keyword.",
        _keyword_in_title,
        keyword_of,
        NO_KEYWORD,
    ),
    Check(
        CheckName.KEYWORD_IN_OPENING,
        "The opening has the keyword.",
        _keyword_in_opening,
        keyword_of,
        NO_KEYWORD,
    ),
    Check(
        CheckName.KEYWORD_IN_SLUG,
        "The slug has the keyword.",
        _keyword_in_slug,
        keyword_of,
        NO_KEYWORD,
    ),
    Check(
        CheckName.LENGTH,
        "The text is as long as the brief wants.",
        _length,
        attrgetter("word_targets"),
        "The brief has no `wordCount` of one or two numbers of 50 or more.",
    ),
    Check(
        CheckName.OUTLINE_COVERED,
        "The headings cover the brief's outline.",
        _outline_covered,
        lambda subject: (subject.brief.get("outline") or "").strip(),
        "The brief has no outline.",
        reads_text=True,
    ),
    Check(
        CheckName.INTERNAL_LINKS,
        "The text links to the documents that the brief names.",
        _internal_links,
        attrgetter("internal_links"),
        "The brief has no documents to link to.",
        reads_text=True,
    ),
    Check(
        CheckName.REFERENCES,
        "The text links to the brief's references.",
        _references,
        lambda subject: subject.brief.get("referenceUrls"),
        "The brief has no references.",
        reads_text=True,
    ),
)
"""The checks that compare a text with its brief."""
