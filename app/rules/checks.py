"""Checks of a document before it is submitted: each a pure function of the document (decisions, section 12).

A check yields a failure for each place that is wrong, with its line where there is one. It is skipped where the
document lacks what it compares with: a brief, a keyword, a number of words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice
from typing import TypedDict
from unicodedata import combining, normalize
from urllib.parse import unquote, urlsplit

import regex

from app.rules.briefs import brief_of
from app.rules.content import OPENING, Content, content_of
from app.rules.documents import StoredDocument
from app.rules.slugs import slug_of
from app.vocabulary import CheckLevel, CheckName, CheckOutcome

MOST_PARTS = 1_000_000
"""The most parts of a text that are read: ten times what people write in 2 MB, and about a second's work."""
MOST_FAILURES = 1_000
"""The most places that one check names."""
OPENING_WORDS = 100
LENGTH_TOLERANCE_PERCENT = 15
SMALLEST_TARGET = 50
META_TITLE_MAX = 60
META_DESCRIPTION_RANGE = (50, 160)
REPEATED_PARAGRAPH_WORDS = 20
OUTLINE_WORD_LENGTH = 4
OUTLINE_LINE_SHOWN = 200
NAMED_TITLES = 3

# Scripts without spaces between words: each of their characters is compared by itself.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Line_Break=Complex_Context}"
_TOKEN = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}]]++", regex.VERSION1)
_STARTS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_NUMBER = regex.compile(r"\d{1,3}(?:[.,]\d{3})+(?!\d)|\d++")
_PLACEHOLDER = regex.compile(
    r"\b(?:TODO|FIXME|TKTK|XXX)\b|\b(?i:lorem ipsum)\b|\[(?i:insert)\b|\b(?i:as an ai(?: language)? model)\b"
)
_ADDRESS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?")
"""The scheme, host, path and query of an address (RFC 3986, appendix B)."""
_USABLE = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*+(?:[/?#][^\s\[\]]*)?|mailto:\w+@[\w.]+|[\w/?#][\w?#.=&%-]*+"
)
"""Addresses that need no closer look, most of all; it is faster by an order of magnitude."""


class CheckResult(TypedDict):
    """The outcome of one check at one place."""

    check: str
    level: str
    outcome: str
    message: str
    line: int | None


@dataclass(frozen=True)
class LinkedDocument:
    """A document that the brief wants linked to."""

    title: str
    slug: str


@dataclass(frozen=True)
class Subject:
    """What the checks look at: a document with its text, and what they compare it with."""

    title: str
    slug: str
    meta_title: str
    meta_description: str
    markdown: str
    words: int = 0
    """The number of words in the text."""
    keyword: str = ""
    word_target: str = ""
    outline: str = ""
    reference_urls: Sequence[str] = ()
    internal_links: Sequence[LinkedDocument] = ()
    same_keyword_titles: Sequence[str] = ()
    """The titles of other documents whose briefs have the same keyword."""

    @cached_property
    def content(self) -> Content:
        return content_of(self.markdown, MOST_PARTS)

    @cached_property
    def keyword_words(self) -> list[str]:
        return _words(self.keyword)


@dataclass(frozen=True)
class Failure:
    """What is wrong at one place."""

    message: str
    line: int | None = None


TOO_MANY_PARTS = Failure(f"The text has over {MOST_PARTS:,} elements, too many for this check: divide the document.")


@dataclass(frozen=True)
class Check:
    """One check: its name on the wire, what it demands, what it needs, and how it finds failures."""

    name: CheckName
    passed: str
    """What holds where the check passes."""
    find: Callable[[Subject], Iterator[Failure]]
    needs: Callable[[Subject], object] = field(default=lambda subject: True)
    """Gives what the check compares with; the check is skipped where that is nothing."""
    skipped: str = ""
    """Why it is skipped."""
    reads_text: bool = False
    """Whether it reads the whole text; it fails where that has more parts than are read, so that none hides there."""


def run_checks(subject: Subject, levels: Mapping[str, str]) -> list[CheckResult]:
    """Returns the outcome of every check that is not switched off, in the order of the table.

    `levels` is the project's setting: name of a check -> `off`, `warning` (the default) or `error`.
    """
    results: list[CheckResult] = []
    for check in CHECKS:
        level = levels.get(check.name, CheckLevel.WARNING)
        if level == CheckLevel.OFF:
            continue
        if not check.needs(subject):
            results.append(_result(check, level, CheckOutcome.SKIPPED, check.skipped))
            continue
        if check.reads_text and not subject.content.whole:
            failures = [TOO_MANY_PARTS]
        else:
            failures = list(islice(check.find(subject), MOST_FAILURES))
        results += [_result(check, level, CheckOutcome.FAILED, one.message, one.line) for one in failures]
        if not failures:
            results.append(_result(check, level, CheckOutcome.PASSED, check.passed))
    return results


def subject_of(
    document: StoredDocument, markdown: str, links: Sequence[StoredDocument], same_keyword_titles: Sequence[str]
) -> Subject:
    """Returns what the checks look at, from a stored document, its text, and the documents that its brief links to."""
    brief = brief_of(document)
    return Subject(
        title=document["title"],
        slug=document["slug"],
        meta_title=document.get("metaTitle") or "",
        meta_description=document.get("metaDescription") or "",
        markdown=markdown,
        words=document["wordCount"],
        keyword=brief.get("keyword") or "",
        word_target=brief.get("wordCount") or "",
        outline=brief.get("outline") or "",
        reference_urls=brief.get("referenceUrls") or (),
        internal_links=[LinkedDocument(link["title"], link["slug"]) for link in links],
        same_keyword_titles=same_keyword_titles,
    )


def errors_alone(levels: Mapping[str, str]) -> dict[str, str]:
    """Returns the setting under which only the checks run that keep a document from being submitted; {} for none."""
    if CheckLevel.ERROR not in levels.values():
        return {}
    return {name: CheckLevel.ERROR if levels.get(name) == CheckLevel.ERROR else CheckLevel.OFF for name in CheckName}


def failed(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Returns those of the results that say what failed."""
    return [one for one in results if one["outcome"] == CheckOutcome.FAILED]


def keyword_warnings(keyword: str, titles: Sequence[str], levels: Mapping[str, str]) -> list[CheckResult]:
    """Returns what `keyword_taken` says of a draft's keyword, which documents with these titles have too."""
    subject = Subject("", "", "", "", "", keyword=keyword, same_keyword_titles=titles)
    only: dict[str, str] = {name: CheckLevel.OFF for name in CheckName if name != CheckName.KEYWORD_TAKEN}
    return failed(run_checks(subject, {**levels, **only}))


def all_passed(results: Sequence[CheckResult]) -> bool:
    """Returns whether no check of level `error` failed."""
    return not any(one["outcome"] == CheckOutcome.FAILED and one["level"] == CheckLevel.ERROR for one in results)


def word_targets(text: str) -> list[int]:
    """Returns the one or two lengths that a brief's `wordCount` names, in words; none for any other number of them."""
    numbers = [int(found.replace(",", "").replace(".", "")) for found in _NUMBER.findall(text)]
    targets = sorted(number for number in numbers if number >= SMALLEST_TARGET)
    return targets if len(targets) in (1, 2) else []


def _result(check: Check, level: str, outcome: CheckOutcome, message: str, line: int | None = None) -> CheckResult:
    return CheckResult(check=check.name, level=str(level), outcome=str(outcome), message=message, line=line)


def _fold(text: str) -> str:
    return "".join(letter for letter in normalize("NFKD", text).casefold() if not combining(letter))


def _words(text: str) -> list[str]:
    """Returns the words of a text in order, without case, accents and an English plural's `s`."""
    return [_singular(word) for word in _TOKEN.findall(_fold(text))]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _counts_in_outline(word: str) -> bool:
    return len(word) >= OUTLINE_WORD_LENGTH or _STARTS_UNSPACED.match(word) is not None


def _side_by_side(wanted: Sequence[str], words: Sequence[str]) -> bool:
    size = len(wanted)
    return any(list(words[start : start + size]) == list(wanted) for start in range(len(words) - size + 1))


def _keyword_in_title(subject: Subject) -> Iterator[Failure]:
    if not _side_by_side(subject.keyword_words, _words(subject.title)):
        yield Failure(f"The title lacks the keyword {subject.keyword!r}.")


def _keyword_in_opening(subject: Subject) -> Iterator[Failure]:
    # A word has at least one character; what follows this many can't be among the first 100 words.
    opening = _words(subject.content.opening[:OPENING])[:OPENING_WORDS]
    if not _side_by_side(subject.keyword_words, opening):
        yield Failure(f"The first {OPENING_WORDS} words lack the keyword {subject.keyword!r}.")


def _keyword_in_slug(subject: Subject) -> Iterator[Failure]:
    if not _side_by_side(_words(slug_of(subject.keyword)), _words(subject.slug)):
        yield Failure(f"The slug lacks the keyword {subject.keyword!r}.")


def _length(subject: Subject) -> Iterator[Failure]:
    targets, words = word_targets(subject.word_target), subject.words
    least, most = targets[0] * (100 - LENGTH_TOLERANCE_PERCENT), targets[-1] * (100 + LENGTH_TOLERANCE_PERCENT)
    if not least <= 100 * words <= most:
        wanted = " to ".join(f"{target:,}" for target in targets)
        yield Failure(f"The text has {words:,} words; the brief wants {wanted}.")


def _outline_covered(subject: Subject) -> Iterator[Failure]:
    lines = [(line, _outline_words(line)) for line in filter(None, map(str.strip, subject.outline.splitlines()))]
    named = frozenset[str]().union(*(wanted for _, wanted in lines))
    covered = {named.intersection(_words(title)) for title in {title for _, title, _ in subject.content.headings}}
    for line, wanted in lines:
        if wanted and not any(2 * len(wanted & words) >= len(wanted) for words in covered):
            yield Failure(f"No heading covers the line {line[:OUTLINE_LINE_SHOWN]!r} of the brief's outline.")


def _outline_words(line: str) -> frozenset[str]:
    return frozenset(_singular(word) for word in _TOKEN.findall(_fold(line)) if _counts_in_outline(word))


def _internal_links(subject: Subject) -> Iterator[Failure]:
    linked = {_last_segment(address) for address in {address for address, _ in subject.content.links}}
    for document in subject.internal_links:
        if document.slug not in linked:
            yield Failure(f"The text does not link to {document.title!r} (slug {document.slug!r}).")


def _references(subject: Subject) -> Iterator[Failure]:
    linked = {_same_address(address) for address in {address for address, _ in subject.content.links}}
    for url in subject.reference_urls:
        if _same_address(url) not in linked:
            yield Failure(f"The text does not link to the reference {url}.")


def _heading_levels(subject: Subject) -> Iterator[Failure]:
    last, first = 1, True
    for level, text, place in subject.content.headings:
        if level > last + 1:
            message = f"{_title(text)!r} is a heading of level {level} after one of {last}."
            yield Failure(message, subject.content.line(place))
        if level == 1 and not first:
            yield Failure(f"{_title(text)!r} is another heading of level 1.", subject.content.line(place))
        first = first and level != 1
        last = level


def _title(text: str) -> str:
    return " ".join(text.split())


def _image_alt(subject: Subject) -> Iterator[Failure]:
    for address, alt, place in subject.content.images:
        if not alt.strip():
            message = f"The image {address[:200]!r} has no alternative text."
            yield Failure(message, subject.content.line(place))


def _meta_title(subject: Subject) -> Iterator[Failure]:
    size = len(subject.meta_title)
    if size == 0:
        yield Failure("The meta title is missing.")
    elif size > META_TITLE_MAX:
        yield Failure(f"The meta title has {size} characters, over {META_TITLE_MAX}.")


def _meta_description(subject: Subject) -> Iterator[Failure]:
    size, (least, most) = len(subject.meta_description), META_DESCRIPTION_RANGE
    if size == 0:
        yield Failure("The meta description is missing.")
    elif not least <= size <= most:
        yield Failure(f"The meta description has {size} characters; {least} to {most} are shown whole.")


def _placeholders(subject: Subject) -> Iterator[Failure]:
    prose = subject.content.prose
    text = "\n".join(passage for passage, _ in prose)
    starts: list[int] = []
    passage, line, counted = -1, 0, 0
    for found in _PLACEHOLDER.finditer(text):
        starts = starts or list(accumulate((len(passage) + 1 for passage, _ in prose), initial=0))
        if passage != (passage := bisect_right(starts, found.start()) - 1):
            line, counted = subject.content.line(prose[passage][1]), starts[passage]
        line += text.count("\n", counted, found.start())
        counted = found.start()
        yield Failure(f"{found[0]!r} is a placeholder: write what belongs there.", line)


def _repeated_paragraphs(subject: Subject) -> Iterator[Failure]:
    first: dict[str, int] = {}
    for text, place in subject.content.paragraphs:
        if len(text) < 2 * REPEATED_PARAGRAPH_WORDS - 1:
            continue
        began = first.setdefault(" ".join(text.split()), place)
        if began != place and _is_long(text):
            lines = subject.content.line(began), subject.content.line(place)
            yield Failure(f"This paragraph repeats the one in line {lines[0]}.", lines[1])


def _is_long(paragraph: str) -> bool:
    return sum(1 for _ in islice(_TOKEN.finditer(paragraph), REPEATED_PARAGRAPH_WORDS)) == REPEATED_PARAGRAPH_WORDS


def _links(subject: Subject) -> Iterator[Failure]:
    content = subject.content
    usable: dict[str, bool] = {}
    for kind, address, place in (
        *(("link", address, place) for address, place in content.links),
        *(("image", address, place) for address, _, place in content.images),
    ):
        if address not in usable:
            usable[address] = _is_usable(address)
        if not usable[address]:
            message = f"The {kind} {address[:200]!r} can't be followed: use a relative, http, https or mailto address."
            yield Failure(message, content.line(place))


def _keyword_taken(subject: Subject) -> Iterator[Failure]:
    if titles := subject.same_keyword_titles:
        named = ", ".join(repr(title) for title in titles[:NAMED_TITLES])
        yield Failure(f"Other documents have the keyword {subject.keyword!r}, too: {named}.")


def _last_segment(address: str) -> str:
    path = _address_parts(address)[2]
    return unquote(path.rstrip("/").rpartition("/")[2])


def _same_address(url: str) -> tuple[str, ...]:
    """Returns an address in a form in which two that lead to the same page are equal: no fragment, no last slash."""
    scheme, host, path, query = _address_parts(url.strip())
    return scheme.lower(), host.lower(), unquote(path.rstrip("/")), query


def _address_parts(address: str) -> tuple[str, ...]:
    found = _ADDRESS.match(address)
    assert found is not None  # every string matches
    return found.groups("")


def _is_usable(address: str) -> bool:
    if _USABLE.fullmatch(address):
        return True
    try:
        parts = urlsplit(address.strip())
        parts.port  # noqa: B018  # raises for a port that is none
    except ValueError:
        return False
    if parts.scheme in ("http", "https"):
        return bool(parts.hostname)
    return (parts.scheme == "" and bool(address.strip())) or (parts.scheme == "mailto" and "@" in parts.path)


def _keyword(subject: Subject) -> object:
    return subject.keyword_words


NO_KEYWORD = "There is no brief with a keyword."

CHECKS: tuple[Check, ...] = (
    Check(CheckName.KEYWORD_IN_TITLE, "The title has the keyword.", _keyword_in_title, _keyword, NO_KEYWORD),
    Check(CheckName.KEYWORD_IN_OPENING, "The opening has the keyword.", _keyword_in_opening, _keyword, NO_KEYWORD),
    Check(CheckName.KEYWORD_IN_SLUG, "The slug has the keyword.", _keyword_in_slug, _keyword, NO_KEYWORD),
    Check(
        CheckName.LENGTH,
        "The text is as long as the brief wants.",
        _length,
        lambda subject: word_targets(subject.word_target),
        "The brief names no number of words.",
    ),
    Check(
        CheckName.OUTLINE_COVERED,
        "The headings cover the brief's outline.",
        _outline_covered,
        lambda subject: subject.outline.strip(),
        "There is no brief with an outline.",
        reads_text=True,
    ),
    Check(
        CheckName.INTERNAL_LINKS,
        "The text links to the documents that the brief names.",
        _internal_links,
        lambda subject: subject.internal_links,
        "The brief names no documents to link to.",
        reads_text=True,
    ),
    Check(
        CheckName.REFERENCES,
        "The text links to the brief's references.",
        _references,
        lambda subject: subject.reference_urls,
        "The brief names no references.",
        reads_text=True,
    ),
    Check(CheckName.HEADING_LEVELS, "The headings step down one level at a time.", _heading_levels, reads_text=True),
    Check(CheckName.IMAGE_ALT, "Every image has an alternative text.", _image_alt, reads_text=True),
    Check(CheckName.META_TITLE, "There is a meta title of the right length.", _meta_title),
    Check(CheckName.META_DESCRIPTION, "There is a meta description of the right length.", _meta_description),
    Check(CheckName.PLACEHOLDERS, "The text has no placeholders.", _placeholders, reads_text=True),
    Check(CheckName.REPEATED_PARAGRAPHS, "No paragraph is repeated.", _repeated_paragraphs, reads_text=True),
    Check(CheckName.LINKS, "Every link has a usable address.", _links, reads_text=True),
    Check(CheckName.KEYWORD_TAKEN, "No other document has the keyword.", _keyword_taken, _keyword, NO_KEYWORD),
)
