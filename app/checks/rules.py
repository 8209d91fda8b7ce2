"""Checks of a document before it is submitted: each a pure function of the document (decisions, section 12).

A check yields a failure for each place that is wrong, with its line where there is one. It is skipped where the
document lacks what it compares with: a brief, a keyword, a number of words.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, islice
from operator import attrgetter
from typing import Annotated, Any
from urllib.parse import unquote

import regex
from typing_extensions import TypedDict

from app.checks.addresses import is_usable, last_segment, page_of
from app.checks.kept import fragments_of, ids_of, losses_of
from app.checks.slips import slips_of
from app.checks.vocabulary import CheckLevel, CheckName, CheckOutcome
from app.core.documented import doc, one_of
from app.core.slugs import slug_of
from app.core.text.content import MOST_PARTS, OPENING, Content, content_of
from app.core.text.words import COMPARED, compared_words
from app.documents.record import StoredBrief, StoredDocument, brief_of

MOST_FAILURES = 1_000
"""Maximum number of failures that one check reports."""
OPENING_WORDS = 100
LENGTH_TOLERANCE_PERCENT = 15
SMALLEST_TARGET = 50
META_TITLE_MAX = 60
META_DESCRIPTION_RANGE = (50, 160)
REPEATED_PARAGRAPH_WORDS = 20
OUTLINE_WORD_LENGTH = 4
OUTLINE_LINE_SHOWN = 200
NAMED_TITLES = 3

_NUMBER = regex.compile(
    r"\d{1,3}(?:[.,]\d{3})+(?!\d)|\d{1,3}(?:['’]\d{3})+(?!\d)"
    r"|(?!\d{3}[ \u00a0\u2009\u202f]\d{3}(?![ \u00a0\u2009\u202f]?\d))\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)|\d++"
)
"""A number, with thousands' marks or without; two numbers of three digits with a space between are two."""
_PLACEHOLDER = regex.compile(
    r"\b(?:TODO|FIXME|TKTK|XXX)\b|\b(?i:lorem[ \n]ipsum)\b|\[(?i:insert)\b"
    r"|\b(?i:as[ \n]an[ \n]ai(?:[ \n]language)?[ \n]model)\b"
)


class CheckResult(TypedDict):
    """The outcome of a check at one place."""

    check: Annotated[str, one_of(CheckName), doc("the check")]
    level: Annotated[str, one_of(CheckLevel), doc("how much a failure counts", "warning")]
    outcome: Annotated[
        str, one_of(CheckOutcome), doc("how it ended; `skipped` where the document lacks what it compares with")
    ]
    message: Annotated[str, doc("what is wrong", "The title has the keyword.")]
    line: Annotated[int | None, doc("the line of the markdown, from 1; null where it is about no line")]


FAILED_CHECK: CheckResult = {
    "check": "meta_title",
    "level": "error",
    "outcome": "failed",
    "message": "The meta title is missing.",
    "line": None,
}
"""The example of OpenAPI."""


@dataclass(frozen=True)
class Subject:
    """Input of the checks: a document with its text, and the other documents that they compare it with."""

    document: StoredDocument
    markdown: str
    internal_links: Sequence[StoredDocument]
    """The documents that the brief wants linked to."""
    same_keyword_titles: Sequence[str]
    """The titles of other documents whose briefs have the same keyword."""
    added: Mapping[str, Any] = field(default_factory=dict)
    """What features read for checks: their own; `image_alts`, which returns alternative texts by addresses; and
    `to_render`, which returns the markdown that is rendered."""
    dead_links: Collection[str] = ()
    """The addresses in the text that lead to documents of the project that are not published."""
    parse: Callable[[str], Content] = content_of

    @cached_property
    def content(self) -> Content:
        return self.parse(self.markdown)

    @property
    def brief(self) -> StoredBrief:
        return brief_of(self.document)

    @property
    def keyword(self) -> str:
        return self.brief.get("keyword") or ""

    @property
    def word_targets(self) -> list[int]:
        return word_targets(self.brief.get("wordCount") or "")

    @cached_property
    def keyword_words(self) -> list[str]:
        return compared_words(self.keyword)


@dataclass(frozen=True)
class Failure:
    """One failure of a check, at one place of the text."""

    message: str
    line: int | None = None


TOO_MANY_PARTS = Failure(f"The text has over {MOST_PARTS:,} elements, too many for this check: divide the document.")


@dataclass(frozen=True)
class Check:
    """One check: its name on the wire, what it demands, what it needs, and how it finds failures."""

    name: CheckName
    passed: str
    """Message if the check passes."""
    find: Callable[[Subject], Iterator[Failure]]
    """Yields the failures; its docstring, when the check fails, is the reference in `docs/checks.md`."""
    needs: Callable[[Subject], object] = field(default=lambda subject: True)
    """Gives what the check compares with; the check is skipped where that is nothing."""
    skipped: str = ""
    """Why it is skipped."""
    reads_text: bool = False
    """True if it reads the whole text; it fails if the text has more parts than are read, so none is missed."""

    @property
    def folder(self) -> str:
        """The folder that declares it."""
        return self.find.__module__.split(".")[1]


def run_checks(subject: Subject, levels: Mapping[str, str], checks: Iterable[Check]) -> list[CheckResult]:
    """Returns the outcome of every check that is not switched off, in their order.

    `levels` is the project's setting: name of a check -> `off`, `warning` (the default) or `error`.
    """
    results: list[CheckResult] = []
    for check in checks:
        level = levels.get(check.name, CheckLevel.WARNING)
        if level == CheckLevel.OFF:
            continue
        if not check.needs(subject):
            found = [(CheckOutcome.SKIPPED, Failure(check.skipped))]
        elif check.reads_text and not subject.content.whole:
            found = [(CheckOutcome.FAILED, TOO_MANY_PARTS)]
        else:
            failures = islice(check.find(subject), MOST_FAILURES)
            found = [(CheckOutcome.FAILED, one) for one in failures] or [(CheckOutcome.PASSED, Failure(check.passed))]
        results += [
            CheckResult(check=check.name, level=str(level), outcome=str(outcome), message=one.message, line=one.line)
            for outcome, one in found
        ]
    return results


def errors_alone(levels: Mapping[str, str]) -> dict[str, str]:
    """Returns the setting under which only the checks run that keep a document from being submitted; {} for none."""
    if CheckLevel.ERROR not in levels.values():
        return {}
    return {name: CheckLevel.ERROR if levels.get(name) == CheckLevel.ERROR else CheckLevel.OFF for name in CheckName}


def failed(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Returns those of the results that say what failed."""
    return [one for one in results if one["outcome"] == CheckOutcome.FAILED]


def first_of_each(results: Sequence[CheckResult], most: int) -> tuple[list[CheckResult], dict[str, int]]:
    """Returns the first results of each check, and how many more there are of those that have more."""
    of_check: Counter[str] = Counter()
    first = []
    for one in results:
        of_check[one["check"]] += 1
        if of_check[one["check"]] <= most:
            first.append(one)
    return first, {str(check): count - most for check, count in of_check.items() if count > most}


def keyword_warnings(keyword: str, titles: Sequence[str], levels: Mapping[str, str]) -> list[CheckResult]:
    """Returns what `keyword_taken` says of a draft's keyword, which documents with these titles have too."""
    draft: Any = {"brief": {"keyword": keyword}}
    only: dict[str, str] = {name: CheckLevel.OFF for name in CheckName if name != CheckName.KEYWORD_TAKEN}
    return failed(run_checks(Subject(draft, "", (), titles), {**levels, **only}, OF_TEXT))


def failed_errors(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Returns the failures of checks of level `error`."""
    return [one for one in failed(results) if one["level"] == CheckLevel.ERROR]


def word_targets(text: str) -> list[int]:
    """Returns the one or two lengths that a brief's `wordCount` names, in words; none for any other number of them."""
    numbers = [int("".join(filter(str.isdigit, found))) for found in _NUMBER.findall(text)]
    targets = sorted(number for number in numbers if number >= SMALLEST_TARGET)
    return targets if len(targets) in (1, 2) else []


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
            yield Failure(f"The text does not link to {document['title']!r} (slug {document['slug']!r}).")


def _references(subject: Subject) -> Iterator[Failure]:
    """A reference URL of the brief is not linked."""
    linked = {page_of(address) for address in {address for address, _ in subject.content.links}}
    for url in subject.brief.get("referenceUrls") or ():
        if page_of(url) not in linked:
            yield Failure(f"The text does not link to the reference {url}.")


def _heading_levels(subject: Subject) -> Iterator[Failure]:
    """A heading skips a level, or is a second one of level 1."""
    last, first = 1, True
    for level, title, line in subject.content.headings:
        if level > last + 1:
            message = f"{title!r} is a heading of level {level} after one of {last}."
            yield Failure(message, line)
        if level == 1 and not first:
            yield Failure(f"{title!r} is another heading of level 1.", line)
        first = first and level != 1
        last = level


def _image_alt(subject: Subject) -> Iterator[Failure]:
    """An image has no alternative text: `![](loaf.jpg)`."""
    without = [(address, line) for address, alt, line in subject.content.images if not alt.strip()]
    find = subject.added.get("image_alts")
    alts = find({address for address, _ in without}) if find and without else {}
    for address, line in without:
        if not alts.get(address, "").strip():
            message = f"The image {address[:200]!r} has no alternative text."
            yield Failure(message, line)


def _meta_title(subject: Subject) -> Iterator[Failure]:
    """The meta title is missing or has over 60 characters."""
    size = len(subject.document.get("metaTitle") or "")
    if size == 0:
        yield Failure("The meta title is missing.")
    elif size > META_TITLE_MAX:
        yield Failure(f"The meta title has {size} characters, over {META_TITLE_MAX}.")


def _meta_description(subject: Subject) -> Iterator[Failure]:
    """The meta description is missing, or has under 50 or over 160 characters."""
    size, (least, most) = len(subject.document.get("metaDescription") or ""), META_DESCRIPTION_RANGE
    if size == 0:
        yield Failure("The meta description is missing.")
    elif not least <= size <= most:
        yield Failure(f"The meta description has {size} characters; {least} to {most} are shown whole.")


def _placeholders(subject: Subject) -> Iterator[Failure]:
    """`TODO`, `FIXME`, `TKTK`, `XXX`, `lorem ipsum`, `[insert` or `as an AI language model` is outside code."""
    for passage, first_line in subject.content.prose:
        for found in _PLACEHOLDER.finditer(passage):
            placeholder = found[0].replace("\n", " ")
            line = first_line + passage.count("\n", 0, found.start())
            yield Failure(f"{placeholder!r} is a placeholder: write what belongs there.", line)


def _model_slips(subject: Subject) -> Iterator[Failure]:
    """The whole text is in a code fence, has front matter, speaks to who asked for it ("Here is the article you asked
    for"), or has a written out `\\n` or a fence that is not closed."""
    for message, line in slips_of(subject.markdown, subject.content):
        yield Failure(message, line)


def _repeated_paragraphs(subject: Subject) -> Iterator[Failure]:
    """A paragraph of 20 words or more appears twice."""
    first: dict[str, int] = {}
    for text, line in subject.content.paragraphs:
        if len(text) < REPEATED_PARAGRAPH_WORDS:  # of characters, which are words in some scripts
            continue
        began = first.setdefault(" ".join(text.split()), line)
        if began != line and _is_long(text):
            yield Failure(f"This paragraph repeats the one in line {began}.", line)


def _is_long(paragraph: str) -> bool:
    return sum(1 for _ in islice(COMPARED.finditer(paragraph), REPEATED_PARAGRAPH_WORDS)) == REPEATED_PARAGRAPH_WORDS


def _links(subject: Subject) -> Iterator[Failure]:
    """A link or image has no usable address, a `#fragment` no heading, or a document linked to is not published."""
    content, usable = subject.content, cache(is_usable)
    for kind, address, line in (
        *(("link", address, line) for address, line in content.links),
        *(("image", address, line) for address, _, line in content.images),
    ):
        if not usable(address):
            message = f"The {kind} {address[:200]!r} can't be followed: use a relative, http, https or mailto address."
            yield Failure(message, line)
    if fragments := fragments_of(content):
        to_render = subject.added.get("to_render")
        ids = ids_of(to_render() if to_render else subject.markdown)
        for fragment, line in fragments.items():
            if not {fragment, unquote(fragment)} & ids and fragment.lower() not in ("", "top"):
                yield Failure(f"No heading or anchor of the text has the id {fragment[:200]!r}.", line)
    for address, line in content.links:
        if address in subject.dead_links:
            yield Failure(f"The link {address[:200]!r} leads to a document that is not published.", line)


def _html_kept(subject: Subject) -> Iterator[Failure]:
    """An element, attribute, address or embedded file of the text is not in its html; one entry for each kind."""
    for message, line in losses_of(subject.content):
        yield Failure(message, line)


def _keyword_taken(subject: Subject) -> Iterator[Failure]:
    """Another document outside the trash has a brief with the same keyword; up to three are named."""
    if titles := subject.same_keyword_titles:
        named = ", ".join(repr(title) for title in titles[:NAMED_TITLES])
        yield Failure(f"Other documents have the keyword {subject.keyword!r}, too: {named}.")


_keyword = attrgetter("keyword_words")
NO_KEYWORD = "There is no brief with a keyword."

OF_BRIEF: tuple[Check, ...] = (
    Check(CheckName.KEYWORD_IN_TITLE, "The title has the keyword.", _keyword_in_title, _keyword, NO_KEYWORD),
    Check(CheckName.KEYWORD_IN_OPENING, "The opening has the keyword.", _keyword_in_opening, _keyword, NO_KEYWORD),
    Check(CheckName.KEYWORD_IN_SLUG, "The slug has the keyword.", _keyword_in_slug, _keyword, NO_KEYWORD),
    Check(
        CheckName.LENGTH,
        "The text is as long as the brief wants.",
        _length,
        attrgetter("word_targets"),
        "There is no brief whose `wordCount` has one or two numbers of 50 or more.",
    ),
    Check(
        CheckName.OUTLINE_COVERED,
        "The headings cover the brief's outline.",
        _outline_covered,
        lambda subject: (subject.brief.get("outline") or "").strip(),
        "There is no brief with an outline.",
        reads_text=True,
    ),
    Check(
        CheckName.INTERNAL_LINKS,
        "The text links to the documents that the brief names.",
        _internal_links,
        attrgetter("internal_links"),
        "The brief names no documents to link to.",
        reads_text=True,
    ),
    Check(
        CheckName.REFERENCES,
        "The text links to the brief's references.",
        _references,
        lambda subject: subject.brief.get("referenceUrls"),
        "The brief names no references.",
        reads_text=True,
    ),
)
"""The checks that compare a text with its brief."""

OF_TEXT: tuple[Check, ...] = (
    Check(CheckName.HEADING_LEVELS, "The headings step down one level at a time.", _heading_levels, reads_text=True),
    Check(CheckName.IMAGE_ALT, "Every image has an alternative text.", _image_alt, reads_text=True),
    Check(CheckName.META_TITLE, "There is a meta title of the right length.", _meta_title),
    Check(CheckName.META_DESCRIPTION, "There is a meta description of the right length.", _meta_description),
    Check(CheckName.PLACEHOLDERS, "The text has no placeholders.", _placeholders, reads_text=True),
    Check(CheckName.MODEL_SLIPS, "Nothing of a conversation is in the text.", _model_slips, reads_text=True),
    Check(CheckName.REPEATED_PARAGRAPHS, "No paragraph is repeated.", _repeated_paragraphs, reads_text=True),
    Check(CheckName.LINKS, "Every link leads somewhere.", _links, reads_text=True),
    Check(CheckName.HTML_KEPT, "Nothing of the text is lost in html.", _html_kept, reads_text=True),
    Check(CheckName.KEYWORD_TAKEN, "No other document has the keyword.", _keyword_taken, _keyword, NO_KEYWORD),
)
"""The checks of the text itself, and of its place among others."""
